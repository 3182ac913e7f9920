package dev.jobs.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.Expiry;
import dev.jobs.JobClient;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.client.ClientConfig;
import dev.jobs.redis.RedisConnections;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What people give a new time to gets a new time to expire as well. */
class NewTimesOfExpiringJobsIT {

    private static final Instant NOW = Instant.parse("2026-11-21T08:00:00.250Z");
    private static final Duration HOUR = Duration.ofHours(1);

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    static final RedisConnections connections = redis.connections("");

    private final List<EnqueueMiddleware> middleware = new ArrayList<>();
    private final Clock clock = Clock.fixed(NOW, ZoneOffset.UTC);

    @AutoClose
    private final JobsAdmin admin = new JobsAdmin(
            connections,
            new DeadSetBounds(10_000, Duration.ofDays(180)),
            JobHooks.none()
                    .with(EnqueueMiddleware.class, (payload, next) -> EnqueueMiddleware.apply(middleware, payload)),
            clock);

    @AutoClose
    private final RedisJobClient client = new RedisJobClient(
            connections, JobRegistry.of(), JobHooks.none(), ClientConfig.defaults(), clock, new SecureRandom());

    /** It expired yesterday. */
    private static String late(String jid) {
        return job(jid, ",\"expires_in\":3600,\"expiry\":" + (NOW.getEpochSecond() - 86_400) + ".5");
    }

    /** A worker had begun it in time, and then died. */
    private static String begun(String jid) {
        return late(jid).replace("\"expiry\"", "\"jobs_expiry\"");
    }

    private static String job(String jid, String more) {
        return "{\"class\":\"HardWorker\",\"args\":[1.0],\"jid\":\"" + jid + "\",\"queue\":\"low\",\"retry\":3" + more
                + ",\"x\":[]}";
    }

    private static String key(JobSet set) {
        return switch (set) {
            case SCHEDULED -> "schedule";
            case RETRY -> "retry";
            case DEAD -> "dead";
        };
    }

    private static Payload only(List<String> entries) {
        assertThat(entries).hasSize(1);
        return Payload.parse(entries.get(0).getBytes(UTF_8));
    }

    private static Payload queued() {
        return only(redis.texts().lrange("queue:low", 0, -1));
    }

    private static Payload waiting(JobSet set) {
        return only(redis.texts().zrange(key(set), 0, -1));
    }

    @ParameterizedTest
    @EnumSource(JobSet.class)
    void aJobThatIsRunNowExpiresCountedFromNow(JobSet set) {
        List<Instant> seen = new ArrayList<>();
        middleware.add((payload, next) -> {
            seen.add(Expiry.of(payload));
            return next.proceed(payload);
        });
        redis.texts().zadd(key(set), 1, late("a"));

        assertThat(admin.sets().runNow(set, late("a").getBytes(UTF_8))).isEqualTo(RunResult.ENQUEUED);

        assertThat(Expiry.of(queued())).isEqualTo(NOW.plus(HOUR));
        assertThat(queued().names())
                .containsSubsequence("class", "args", "jid", "queue", "retry", "expires_in", "expiry", "x");
        assertThat(seen).as("middleware may set another").containsExactly(NOW.plus(HOUR));
    }

    /** Otherwise its first failure would bring back the old time, and its retry would not run. */
    @ParameterizedTest
    @EnumSource(JobSet.class)
    void theRetriesOfAJobThatHadBegunExpireCountedFromNow(JobSet set) {
        redis.texts().zadd(key(set), 1, begun("a"));

        assertThat(admin.sets().runNow(set, begun("a").getBytes(UTF_8))).isEqualTo(RunResult.ENQUEUED);

        assertThat(Expiry.of(queued())).as("it had begun").isNull();
        assertThat(Expiry.of(Expiry.restored(queued()))).isEqualTo(NOW.plus(HOUR));
    }

    @Test
    void aTimeThatNobodyCountedIsDroppedAlsoIfTheJobHadBegun() {
        String stored = begun("a").replace("\"expires_in\":3600,", "");
        redis.texts().zadd("dead", 1, stored);

        assertThat(admin.sets().runNow(JobSet.DEAD, stored.getBytes(UTF_8))).isEqualTo(RunResult.ENQUEUED);

        assertThat(queued().has("jobs_expiry")).isFalse();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DEAD")
    void theRetriesOfARescheduledJobThatHadBegunExpireCountedFromItsNewTime(JobSet set) {
        Instant tomorrow = NOW.plus(Duration.ofDays(1));
        redis.texts().zadd(key(set), 1, begun("a"));

        assertThat(admin.sets().reschedule(set, begun("a").getBytes(UTF_8), tomorrow))
                .isTrue();

        assertThat(Expiry.of(Expiry.restored(waiting(set)))).isEqualTo(tomorrow.plus(HOUR));
    }

    @Test
    void allJobsThatAreRunNowExpireCountedFromNow() {
        for (int i = 0; i < 250; i++) {
            redis.texts().zadd("dead", i, late("j" + i));
        }

        assertThat(admin.sets().all(JobSet.DEAD).run().done()).isEqualTo(250);

        assertThat(redis.texts().lrange("queue:low", 0, -1)).hasSize(250).allSatisfy(each -> assertThat(
                        Expiry.of(Payload.parse(each.getBytes(UTF_8))))
                .isEqualTo(NOW.plus(HOUR)));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DEAD")
    void aRescheduledJobExpiresCountedFromItsNewTime(JobSet set) {
        Instant tomorrow = NOW.plus(Duration.ofDays(1));
        redis.texts().zadd(key(set), 1, late("a"));
        redis.texts().zadd(key(set), 1, "no job");

        assertThat(admin.sets().reschedule(set, late("a").getBytes(UTF_8), tomorrow))
                .isTrue();
        assertThat(admin.sets().reschedule(set, "no job".getBytes(UTF_8), tomorrow))
                .isTrue();

        assertThat(redis.texts().zrangebyscoreWithScores(key(set), io.lettuce.core.Range.unbounded()))
                .hasSize(2)
                .allSatisfy(each -> assertThat(each.getScore()).isEqualTo(tomorrow.toEpochMilli() / 1_000.0));
        redis.texts().zrem(key(set), "no job");
        assertThat(Expiry.of(waiting(set))).isEqualTo(tomorrow.plus(HOUR));
    }

    @Test
    void aPastTimeMeansNow() {
        redis.texts().zadd("schedule", 1, late("a"));

        assertThat(admin.sets().reschedule(JobSet.SCHEDULED, late("a").getBytes(UTF_8), Instant.EPOCH))
                .isTrue();

        assertThat(Expiry.of(waiting(JobSet.SCHEDULED))).isEqualTo(NOW.plus(HOUR));
    }

    @Test
    void allRescheduledJobsExpireCountedFromTheirNewTime() {
        Instant tomorrow = NOW.plus(Duration.ofDays(1));
        for (int i = 0; i < 250; i++) {
            redis.texts().zadd("schedule", NOW.getEpochSecond() + i / 50, late("j" + i));
        }
        redis.texts()
                .zadd("schedule", tomorrow.getEpochSecond() + 1, late("last")); // the pass goes beyond the new time
        long done = 0;
        String cursor = null;
        do {
            BulkResult step = admin.sets()
                    .all(JobSet.SCHEDULED)
                    .step(cursor, Duration.ZERO)
                    .reschedule(tomorrow);
            assertThat(step.kept()).isZero();
            done += step.done();
            cursor = step.cursor();
        } while (cursor != null);

        assertThat(done).isEqualTo(251);
        double score = tomorrow.toEpochMilli() / 1_000.0;
        assertThat(redis.texts().zrangebyscore("schedule", io.lettuce.core.Range.create(score, score)))
                .hasSize(251)
                .allSatisfy(each -> assertThat(Expiry.of(Payload.parse(each.getBytes(UTF_8))))
                        .isEqualTo(tomorrow.plus(HOUR)));
    }

    /** Of such a job nobody knows how long after its time it is worth running. */
    @Test
    void aTimeToExpireThatWasSetByHandIsDroppedIfTheJobCouldNeverRun() {
        String past = job("a", ",\"expiry\":" + (NOW.getEpochSecond() - 1));
        String future = job("b", ",\"expiry\":" + (NOW.getEpochSecond() + 60));
        redis.texts().zadd("dead", 1, past);

        admin.sets().runNow(JobSet.DEAD, past.getBytes(UTF_8));

        assertThat(queued().has("expiry")).isFalse();
        redis.flush();
        redis.texts().zadd("dead", 1, future);

        admin.sets().runNow(JobSet.DEAD, future.getBytes(UTF_8));

        assertThat(queued().get("expiry")).isEqualTo(NOW.getEpochSecond() + 60);
        redis.flush();
        redis.texts().zadd("schedule", 1, future);

        admin.sets().reschedule(JobSet.SCHEDULED, future.getBytes(UTF_8), NOW.plus(HOUR));

        assertThat(waiting(JobSet.SCHEDULED).has("expiry")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",\"expires_in\":3600",
                ",\"expires_in\":3600,\"expiry\":\"soon\"",
                ",\"expires_in\":\"1h\",\"expiry\":null",
                ",\"expiry\":[1]"
            })
    void whatHasNoTimeToExpireStaysAsItIs(String members) {
        String stored = job("a", members);
        redis.texts().zadd("schedule", 1, stored);

        assertThat(admin.sets().reschedule(JobSet.SCHEDULED, stored.getBytes(UTF_8), NOW))
                .isTrue();

        assertThat(redis.texts().zrange("schedule", 0, -1)).containsExactly(stored);
    }

    @Test
    void aDebouncedJobIsReplacedAfterItWasRescheduled() {
        JobClient debounced =
                client.debounce("k", Duration.ofMinutes(1), Duration.ofDays(2)).expiresIn(HOUR);
        String jid = debounced.enqueue("Reindex", 1);
        reschedule(jid);

        String last = debounced.enqueue("Reindex", 2);

        assertThat(waiting(JobSet.SCHEDULED).jid()).isEqualTo(last);
    }

    @Test
    void aUniqueJobIsReplacedAfterItWasRescheduled() {
        JobClient unique = client.unique("k")
                .with("unique_conflict", "replace")
                .in(Duration.ofMinutes(1))
                .expiresIn(HOUR);
        String jid = unique.enqueue("Reindex", 1);
        reschedule(jid);

        String last = unique.enqueue("Reindex", 2);

        assertThat(waiting(JobSet.SCHEDULED).jid()).isEqualTo(last);
    }

    private void reschedule(String jid) {
        byte[] stored = redis.bytes().zrange("schedule".getBytes(UTF_8), 0, -1).get(0);
        Instant tomorrow = NOW.plus(Duration.ofDays(1));
        assertThat(admin.sets().reschedule(JobSet.SCHEDULED, stored, tomorrow)).isTrue();
        assertThat(waiting(JobSet.SCHEDULED).jid()).isEqualTo(jid);
        assertThat(Expiry.of(waiting(JobSet.SCHEDULED))).isEqualTo(tomorrow.plus(HOUR));
    }
}
