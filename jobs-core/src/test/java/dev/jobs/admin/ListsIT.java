package dev.jobs.admin;

import static dev.jobs.admin.NumberedJobs.enqueue;
import static dev.jobs.admin.NumberedJobs.job;
import static dev.jobs.admin.NumberedJobs.schedule;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.ArgumentMasking;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.RedisConnections;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import io.lettuce.core.ScriptOutputType;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages of queues and sets, counts, failures, and searches for jobs seen before. */
class ListsIT {

    private static final Predicate<JobRecord> ANY = job -> true;
    private static final ArgumentMasking NOTHING_HIDDEN = new ArgumentMasking(new JobRegistry(List.of()), List.of());
    private static final ScanBudget LITTLE = new ScanBudget(150, Duration.ofSeconds(10));
    private static final ScanBudget ENOUGH = new ScanBudget(100_000, Duration.ofSeconds(10));

    private static final Comparator<ListedJob> BY_SCORE =
            Comparator.comparingDouble(each -> each.job().score());

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    static final RedisConnections connections = redis.connections("");

    @AutoClose
    private final JobsAdmin admin = new JobsAdmin(
            connections, new DeadSetBounds(10_000, Duration.ofDays(1)), JobHooks.none(), Clock.systemUTC());

    private static String key(JobSet set) {
        return switch (set) {
            case SCHEDULED -> "schedule";
            case RETRY -> "retry";
            case DEAD -> "dead";
        };
    }

    private static List<String> jids(Page<ListedJob> slice) {
        return slice.items().stream().map(each -> each.job().jid()).toList();
    }

    @Test
    void readsAListPageByPageWithoutMissingAJob() {
        schedule(redis, 500);
        List<String> found = new ArrayList<>();
        int parts = 0;
        for (long from = 0; from >= 0; parts++) {
            Page<ListedJob> slice =
                    admin.sets().jobs(JobSet.SCHEDULED, job -> job.jid().endsWith("7"), from, 200, LITTLE);
            found.addAll(jids(slice));
            assertThat(slice.partial()).isEqualTo(slice.next() >= 0);
            from = slice.next();
        }
        assertThat(found).hasSize(50).doesNotHaveDuplicates();
        assertThat(parts).isEqualTo(4);
    }

    @Test
    void countsPositionsInAQueueFromTheNextJob() {
        enqueue(redis, 30);

        Page<ListedJob> newest = admin.queues().jobs("mail", Order.NEWEST_FIRST, ANY, 5, 3, ENOUGH);
        Page<ListedJob> oldest = admin.queues().jobs("mail", Order.OLDEST_FIRST, ANY, 5, 3, ENOUGH);

        assertThat(jids(newest)).containsExactly("24", "23", "22");
        assertThat(newest.items()).extracting(ListedJob::index).containsExactly(24L, 23L, 22L);
        assertThat(jids(oldest)).containsExactly("5", "6", "7");
        assertThat(oldest.items()).extracting(ListedJob::index).containsExactly(5L, 6L, 7L);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 25, 50, 51})
    void endsWhereTheListEnds(int jobs) {
        schedule(redis, jobs);

        Page<ListedJob> slice = admin.sets().jobs(JobSet.SCHEDULED, ANY, 0, 50, ENOUGH);

        assertThat(slice.items()).hasSize(Math.min(50, jobs));
        assertThat(slice.next()).isEqualTo(jobs > 50 ? 50 : -1);
        assertThat(slice.partial()).isFalse();
        assertThat(slice.total()).isEqualTo(jobs);
    }

    @Test
    void findsAJobOfAQueueThatMovedUpOrALittleBack() {
        enqueue(redis, 2_000);
        ListedJob job = admin.queues()
                .jobs("mail", Order.OLDEST_FIRST, ANY, 1_000, 1, ENOUGH)
                .items()
                .get(0);
        JobAddress address = address(job);

        redis.texts().rpop("queue:mail", 300);
        assertThat(admin.queues().findAt("mail", List.of(address), ENOUGH).items())
                .singleElement()
                .extracting(ListedJob::index)
                .isEqualTo(700L);
        for (int i = 0; i < 350; i++) {
            redis.texts().rpush("queue:mail", "{}");
        }
        assertThat(admin.queues().findAt("mail", List.of(address), ENOUGH).items())
                .singleElement()
                .extracting(ListedJob::index)
                .isEqualTo(1_050L);
        JobAddress far = new JobAddress(0, 1_900, address.digest());
        assertThat(admin.queues().findAt("mail", List.of(far), LITTLE)).isEqualTo(new Found<>(List.of(), true));
        assertThat(admin.queues().findAt("mail", List.of(far), ENOUGH).items()).hasSize(1);
        JobAddress tooNear = new JobAddress(0, 100, address.digest());
        assertThat(admin.queues().findAt("mail", List.of(tooNear), ENOUGH)).isEqualTo(new Found<>(List.of(), false));
        assertThat(admin.queues().findAt("none", List.of(address), ENOUGH)).isEqualTo(new Found<>(List.of(), false));
    }

    private static JobAddress address(ListedJob listed) {
        return new JobAddress(listed.job().score(), listed.index(), listed.job().digest());
    }

    private static JobAddress address(double score, long index, String job) {
        return new JobAddress(
                score, index, JobRecord.inQueue("", job.getBytes(UTF_8)).digest());
    }

    @LongTest
    @Test
    void findsJobsOfAQueueThatAreFarFromEachOther() {
        enqueue(redis, 12_000);
        ScanBudget some = new ScanBudget(1_000, Duration.ofSeconds(10));

        Found<ListedJob> found = admin.queues()
                .findAt(
                        "mail",
                        List.of(address(0, 0, job(0)), address(0, 6_000, job(6_000)), address(0, 11_990, job(11_990))),
                        some);

        assertThat(found.items()).extracting(ListedJob::index).containsExactly(11_990L, 6_000L, 0L);
        assertThat(found.partial()).isFalse();
    }

    @Test
    void findsOneJobForEachThatIsRequested() {
        redis.texts().lpush("queue:mail", job(1), job(2), "{}", job(1));

        Found<ListedJob> one =
                admin.queues().findAt("mail", List.of(address(0, 0, job(1)), address(0, 1, job(2))), ENOUGH);
        Found<ListedJob> both =
                admin.queues().findAt("mail", List.of(address(0, 0, job(1)), address(0, 3, job(1))), ENOUGH);

        assertThat(one.items()).extracting(each -> each.job().jid()).containsExactly("2", "1");
        assertThat(both.items()).extracting(ListedJob::index).containsExactly(3L, 0L);
    }

    @Test
    void findsJobsOfOneScoreByTheirBytes() {
        schedule(redis, 100);
        List<JobAddress> wanted = List.of(address(4e9 + 3, 33, job(33)), address(4e9 + 3, 0, job(35)));

        Found<ListedJob> found = admin.sets().findAt(JobSet.SCHEDULED, wanted, ENOUGH);

        assertThat(found.items()).extracting(ListedJob::index).containsExactlyInAnyOrder(33L, 35L);
        assertThat(admin.sets().findAt(JobSet.SCHEDULED, List.of(address(4e9 + 4, 33, job(33))), ENOUGH))
                .isEqualTo(new Found<>(List.of(), false));
        assertThat(admin.sets().findAt(JobSet.SCHEDULED, List.of(address(1, 33, job(33))), ENOUGH))
                .isEqualTo(new Found<>(List.of(), false));
    }

    @Test
    void looksAtLastPositionsRegardlessOfTheBudget() {
        enqueue(redis, 1_000);
        ScanBudget none = new ScanBudget(1, Duration.ZERO);
        List<JobAddress> there = List.of(address(0, 20, job(20)), address(0, 25, job(25)), address(0, 900, job(900)));

        assertThat(admin.queues().findAt("mail", there, none).items())
                .extracting(ListedJob::index)
                .containsExactly(900L, 25L, 20L);
        assertThat(admin.queues().findAt("mail", List.of(address(0, 20, job(22))), none))
                .isEqualTo(new Found<>(List.of(), true));
    }

    @ParameterizedTest
    @EnumSource(JobSet.class)
    void findsAJobAmongManyOfOneScoreNearItsLastPosition(JobSet set) {
        redis.texts()
                .eval(
                        "for i = 1, 30000 do redis.call('ZADD', KEYS[1], 7, '{\"jid\":\"' .. i .. '\"}') end",
                        ScriptOutputType.VALUE,
                        switch (set) {
                            case SCHEDULED -> "schedule";
                            case RETRY -> "retry";
                            case DEAD -> "dead";
                        });
        ListedJob job = admin.sets().jobs(set, ANY, 25_050, 1, ENOUGH).items().get(0);
        redis.texts().zadd("retry", 1, "{}");
        redis.texts().zadd("schedule", 1, "{}");
        redis.texts().zadd("dead", 8, "{}");

        assertThat(admin.sets().findAt(set, List.of(address(job)), LITTLE).items())
                .containsExactly(new ListedJob(job.job(), 25_051));
        JobAddress elsewhere = new JobAddress(7, 3, job.job().digest());
        assertThat(admin.sets().findAt(set, List.of(elsewhere), LITTLE)).isEqualTo(new Found<>(List.of(), true));
        assertThat(admin.sets().findAt(set, List.of(address(7, 3, "gone")), ENOUGH))
                .isEqualTo(new Found<>(List.of(), false));
    }

    @LongTest
    @Test
    void readsFewLargeJobsAtOnce() {
        for (int i = 0; i < 60; i++) {
            redis.texts().zadd("dead", i, "{\"jid\":\"" + i + "\",\"args\":[\"" + "x".repeat(1_000_000) + "\"]}");
        }
        ScanBudget oneStep = new ScanBudget(10_000, Duration.ZERO);

        Page<ListedJob> slice = admin.sets().jobs(JobSet.DEAD, ANY, 0, 50, oneStep);

        // their sizes are unknown before they are read
        assertThat(jids(slice)).containsExactly("59");
        assertThat(slice.partial()).isTrue();
        assertThat(slice.next()).isEqualTo(1);
        long before = sent();
        assertThat(admin.sets().jobs(JobSet.DEAD, ANY, 0, 6, ENOUGH).items()).hasSize(6);
        assertThat(sent() - before).isLessThan(7_000_000);
    }

    private static long sent() {
        return redis.texts()
                .info("stats")
                .lines()
                .filter(line -> line.startsWith("total_net_output_bytes:"))
                .mapToLong(line ->
                        Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
                .sum();
    }

    @Test
    void groupsFailures() {
        redis.texts()
                .zadd(
                        "retry",
                        1,
                        "{\"class\":\"C\",\"error_class\":\"E\",\"failed_at\":1000,\"retried_at\":9000,\"x\":1}");
        redis.texts().zadd("retry", 2, "{\"class\":\"C\",\"error_class\":\"E\",\"failed_at\":500,\"x\":2}");
        redis.texts().zadd("retry", 3, "no job");

        FailureGroups groups = admin.sets().failures(JobSet.RETRY, NOTHING_HIDDEN, ENOUGH);

        assertThat(groups.groups()).hasSize(2);
        FailureGroups.Group largest = groups.groups().get(0);
        assertThat(largest.count()).isEqualTo(2);
        assertThat(largest.first()).hasToString("1970-01-01T00:00:00.500Z");
        assertThat(largest.last()).hasToString("1970-01-01T00:00:09Z");
        assertThat(largest.sample().index()).isZero();
        assertThat(groups.looked()).isEqualTo(3);
        assertThat(groups.partial()).isFalse();
    }

    @Test
    void groupsFailuresByNamesWithoutHiddenArguments() {
        redis.texts()
                .zadd(
                        "retry",
                        1,
                        "{\"class\":\"Sidekiq::ActiveJob::Wrapper\",\"args\":[\"secret\"],\"error_class\":\"E\"}");
        ArgumentMasking masking = new ArgumentMasking(
                new JobRegistry(List.of()), List.of((job, position, argument) -> ArgumentMasking.HIDDEN));

        assertThat(admin.sets()
                        .failures(JobSet.RETRY, masking, ENOUGH)
                        .groups()
                        .get(0)
                        .name())
                .isEqualTo("Sidekiq::ActiveJob::Wrapper");
        assertThat(admin.sets()
                        .failures(JobSet.RETRY, NOTHING_HIDDEN, ENOUGH)
                        .groups()
                        .get(0)
                        .name())
                .isEqualTo("secret");
    }

    @Test
    void readsAPartOfASetFromBothEnds() {
        schedule(redis, 100); // ten to a second
        Instant since = Instant.ofEpochSecond(4_000_000_002L);
        Instant until = Instant.ofEpochSecond(4_000_000_004L);
        SetPart part = new SetPart(JobSet.SCHEDULED, since, until, false);

        Page<ListedJob> first = admin.sets().jobs(part, ANY, 0, 20, ENOUGH);
        Page<ListedJob> second = admin.sets().jobs(part, ANY, 20, 20, ENOUGH);
        Page<ListedJob> latest =
                admin.sets().jobs(new SetPart(JobSet.SCHEDULED, since, until, true), ANY, 0, 20, ENOUGH);

        assertThat(List.of(first.total(), first.next(), second.next())).containsExactly(30L, 20L, -1L);
        assertThat(first.items()).hasSize(20).extracting(ListedJob::index).startsWith(20L, 21L);
        assertThat(second.items()).hasSize(10).extracting(ListedJob::index).endsWith(48L, 49L);
        assertThat(latest.items()).hasSize(20).extracting(ListedJob::index).startsWith(49L, 48L);
        assertThat(latest.items().get(0).job().score()).isEqualTo(4e9 + 4);
        assertThat(admin.sets().count(part, ANY, ENOUGH)).isEqualTo(new JobCount(30, 30, false));
    }

    /** Positions lead back to the jobs, whichever way they were read. */
    @ParameterizedTest
    @EnumSource(JobSet.class)
    void findsEachJobOfAPartAtItsPosition(JobSet set) {
        for (int i = 0; i < 30; i++) {
            redis.texts().zadd(key(set), 4e9 + i / 3, job(i));
        }
        for (boolean turned : new boolean[] {false, true}) {
            SetPart part = new SetPart(set, Instant.ofEpochSecond(4_000_000_003L), null, turned);
            Page<ListedJob> page = admin.sets().jobs(part, ANY, 0, 100, ENOUGH);
            Page<ListedJob> whole = admin.sets().jobs(set, ANY, 0, 100, ENOUGH);

            assertThat(page.items())
                    .hasSize(21)
                    .isSortedAccordingTo(turned == (set == JobSet.DEAD) ? BY_SCORE : BY_SCORE.reversed());
            assertThat(page.items()).isNotEmpty().allSatisfy(each -> assertThat(
                            whole.items().get((int) each.index()).job().jid())
                    .isEqualTo(each.job().jid()));
        }
    }

    @Test
    void aPartBeyondTheSetIsEmpty() {
        schedule(redis, 10);
        SetPart late = new SetPart(JobSet.SCHEDULED, Instant.ofEpochSecond(5_000_000_000L), null, true);
        SetPart none = new SetPart(
                JobSet.SCHEDULED, Instant.ofEpochSecond(4_500_000_000L), Instant.ofEpochSecond(3_000_000_000L), false);

        assertThat(admin.sets().jobs(late, ANY, 0, 10, ENOUGH).items()).isEmpty();
        assertThat(admin.sets().jobs(none, ANY, 0, 10, ENOUGH).total()).isZero();
    }
}
