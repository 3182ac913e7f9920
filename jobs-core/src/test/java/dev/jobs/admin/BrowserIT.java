package dev.jobs.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobHooks;
import dev.jobs.redis.DeadLimits;
import dev.jobs.redis.RedisConnections;
import dev.jobs.testing.RedisFixture;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading and acting in parts. */
class BrowserIT {

    private static final Predicate<JobRecord> ANY = job -> true;
    private static final ScanBudget LITTLE = new ScanBudget(150, Duration.ofSeconds(10));
    private static final ScanBudget ENOUGH = new ScanBudget(100_000, Duration.ofSeconds(10));

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    static final RedisConnections connections = redis.connections("");

    @AutoClose
    private final JobsAdmin admin =
            new JobsAdmin(connections, new DeadLimits(10_000, Duration.ofDays(1)), JobHooks.none(), Clock.systemUTC());

    @BeforeEach
    void empty() {
        redis.flush();
    }

    private static String job(int number) {
        return "{\"class\":\"C\",\"queue\":\"mail\",\"jid\":\"" + number + "\"}";
    }

    private static void enqueue(int jobs) {
        redis.texts().sadd("queues", "mail");
        for (int i = 0; i < jobs; i++) {
            redis.texts().lpush("queue:mail", job(i));
        }
    }

    private static void schedule(int jobs) {
        for (int i = 0; i < jobs; i++) {
            redis.texts().zadd("schedule", 4e9 + i / 10, job(i));
        }
    }

    private static List<String> jids(Slice<PlacedJob> slice) {
        return slice.items().stream().map(each -> each.job().jid()).toList();
    }

    @Test
    void goesThroughAListPartByPartAndMissesNothing() {
        schedule(500);
        List<String> found = new ArrayList<>();
        int parts = 0;
        for (long from = 0; from >= 0; parts++) {
            Slice<PlacedJob> slice =
                    admin.browse().list(JobSet.SCHEDULED, job -> job.jid().endsWith("7"), from, 200, LITTLE);
            found.addAll(jids(slice));
            assertThat(slice.partial()).isEqualTo(slice.next() >= 0);
            from = slice.next();
        }
        assertThat(found).hasSize(50).doesNotHaveDuplicates();
        assertThat(parts).isEqualTo(4);
    }

    @Test
    void tellsPlacesInAQueueFromTheOneThatIsTakenNext() {
        enqueue(30);

        Slice<PlacedJob> newest = admin.browse().list("mail", Order.NEWEST_FIRST, ANY, 5, 3, ENOUGH);
        Slice<PlacedJob> oldest = admin.browse().list("mail", Order.OLDEST_FIRST, ANY, 5, 3, ENOUGH);

        assertThat(jids(newest)).containsExactly("24", "23", "22");
        assertThat(newest.items()).extracting(PlacedJob::index).containsExactly(24L, 23L, 22L);
        assertThat(jids(oldest)).containsExactly("5", "6", "7");
        assertThat(oldest.items()).extracting(PlacedJob::index).containsExactly(5L, 6L, 7L);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 25, 50, 51})
    void endsWhereTheListEnds(int jobs) {
        schedule(jobs);

        Slice<PlacedJob> slice = admin.browse().list(JobSet.SCHEDULED, ANY, 0, 50, ENOUGH);

        assertThat(slice.items()).hasSize(Math.min(50, jobs));
        assertThat(slice.next()).isEqualTo(jobs > 50 ? 50 : -1);
        assertThat(slice.partial()).isFalse();
        assertThat(slice.total()).isEqualTo(jobs);
    }

    @Test
    void findsAJobOfAQueueThatMovedUpOrALittleBack() {
        enqueue(2_000);
        PlacedJob job = admin.browse()
                .list("mail", Order.OLDEST_FIRST, ANY, 1_000, 1, ENOUGH)
                .items()
                .get(0);
        Set<String> digest = Set.of(job.job().digest());

        redis.texts().rpop("queue:mail", 300);
        assertThat(admin.browse().find("mail", job.index(), digest, ENOUGH))
                .singleElement()
                .extracting(PlacedJob::index)
                .isEqualTo(700L);
        for (int i = 0; i < 350; i++) {
            redis.texts().rpush("queue:mail", "{}");
        }
        assertThat(admin.browse().find("mail", job.index(), digest, ENOUGH))
                .singleElement()
                .extracting(PlacedJob::index)
                .isEqualTo(1_050L);
        assertThat(admin.browse().find("mail", job.index(), digest, LITTLE)).isEmpty();
        assertThat(admin.browse().find("mail", 900, digest, ENOUGH)).hasSize(1);
        assertThat(admin.browse().find("mail", 100, digest, ENOUGH)).isEmpty();
        assertThat(admin.browse().find("none", 100, digest, ENOUGH)).isEmpty();
    }

    private static String digest(String job) {
        return JobRecord.inQueue("", job.getBytes(UTF_8)).digest();
    }

    @Test
    void findsJobsOfOneScoreByTheirBytes() {
        schedule(100);
        Set<String> wanted = Set.of(digest(job(33)), digest(job(35)));

        assertThat(admin.browse().find(JobSet.SCHEDULED, 4e9 + 3, wanted, ENOUGH))
                .hasSize(2);
        assertThat(admin.browse().find(JobSet.SCHEDULED, 4e9 + 4, wanted, ENOUGH))
                .isEmpty();
    }

    @Test
    void readsLittleAtOnceWhereJobsAreLarge() {
        for (int i = 0; i < 60; i++) {
            redis.texts().zadd("dead", i, "{\"jid\":\"" + i + "\",\"args\":[\"" + "x".repeat(1_000_000) + "\"]}");
        }

        Slice<PlacedJob> slice = admin.browse().list(JobSet.DEAD, ANY, 0, 50, new ScanBudget(10_000, Duration.ZERO));

        assertThat(slice.items()).hasSize(25);
        assertThat(slice.partial()).isTrue();
        assertThat(slice.next()).isEqualTo(25);
        assertThat(jids(slice)).startsWith("59", "58");
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

        FailureGroups groups = admin.browse().failures(JobSet.RETRY, ENOUGH);

        assertThat(groups.groups()).hasSize(2);
        FailureGroup largest = groups.groups().get(0);
        assertThat(largest.count()).isEqualTo(2);
        assertThat(largest.first()).hasToString("1970-01-01T00:00:00.500Z");
        assertThat(largest.last()).hasToString("1970-01-01T00:00:09Z");
        assertThat(groups.looked()).isEqualTo(3);
        assertThat(groups.partial()).isFalse();
    }

    @Test
    void actsOnManyJobsInStepsThatEachGoOnWhereTheLastOneEnded() {
        schedule(1_000);
        Predicate<JobRecord> even = job -> Integer.parseInt(String.valueOf(job.jid())) % 2 == 0;

        long done = 0;
        int steps = 0;
        String cursor = null;
        do {
            BulkStep step = admin.bulk().kill(JobSet.SCHEDULED, even, cursor, Duration.ZERO);
            done += step.done();
            cursor = step.cursor();
            steps++;
        } while (cursor != null);

        assertThat(done).isEqualTo(500);
        assertThat(steps).isEqualTo(10);
        assertThat(redis.texts().zcard("schedule")).isEqualTo(500);
        assertThat(redis.texts().zcard("dead")).isEqualTo(500);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "1_2_3", "NaN_1_1_1", "1_1_NaN_1", "1_1_1_-1", "1_1_1_1_1"})
    void refusesACursorThatNobodyMade(String cursor) {
        assertThatThrownBy(() -> admin.bulk().run(JobSet.RETRY, ANY, cursor, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cursor");
    }

    @Test
    void undoesABatchThoughOthersWereDeletedSince() {
        schedule(300);
        List<JobRecord> jobs = admin.browse().list(JobSet.SCHEDULED, ANY, 0, 200, ENOUGH).items().stream()
                .map(PlacedJob::job)
                .toList();
        admin.trash().delete(JobSet.SCHEDULED, jobs.subList(0, 150), "one");
        admin.trash().delete(JobSet.SCHEDULED, jobs.subList(150, 200), "two");

        Trash.Restored restored = admin.trash().restoreBatch("one", Duration.ofSeconds(10));

        assertThat(restored).isEqualTo(new Trash.Restored(150, false));
        assertThat(redis.texts().zcard("schedule")).isEqualTo(250);
        assertThat(redis.texts().zscore("schedule", job(42))).isEqualTo(4e9 + 4);
        assertThat(admin.trash().list(0, 200).total()).isEqualTo(50);
        assertThat(admin.trash().restoreBatch("one", Duration.ofSeconds(10)).done())
                .isZero();
        assertThatThrownBy(() -> admin.trash().restoreBatch("a b", Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void clearsALargeQueueForGood() {
        redis.texts()
                .eval(
                        "for i = 1, 10001 do redis.call('LPUSH', KEYS[1], i) end",
                        io.lettuce.core.ScriptOutputType.VALUE,
                        "queue:mail");
        QueueInfo queue = admin.queue("mail").orElseThrow();

        assertThat(admin.trash().wouldKeep(queue)).isFalse();
        assertThat(admin.trash().clear(queue, "b")).isEqualTo(new Trash.Deleted(10_001, 0, 0));
        assertThat(redis.texts().keys("*")).isEmpty();
    }
}
