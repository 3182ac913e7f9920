package dev.jobs.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.DeathHandler;
import dev.jobs.EnqueueMiddleware;
import dev.jobs.JobHooks;
import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.redis.RedisConnections;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SetActionsIT {

    private static final Instant NOW = Instant.parse("2026-11-21T08:00:00.123Z");
    private static final DeadSetBounds LIMITS = new DeadSetBounds(10_000, Duration.ofDays(180));

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    static final RedisConnections connections = redis.connections("");

    private final List<EnqueueMiddleware> middleware = new ArrayList<>();
    private final List<DeathHandler> deathHandlers = new ArrayList<>();

    @AutoClose
    private JobsAdmin admin = admin(connections);

    private JobsAdmin admin(RedisConnections connections) {
        JobHooks hooks = JobHooks.none()
                .with(EnqueueMiddleware.class, (payload, next) -> EnqueueMiddleware.apply(middleware, payload))
                .with(
                        DeathHandler.class,
                        (payload, failure) -> deathHandlers.forEach(each -> each.died(payload, failure)));
        return new JobsAdmin(connections, LIMITS, hooks, Clock.fixed(NOW, ZoneOffset.UTC));
    }

    private static String job(String jid) {
        return "{\"class\":\"HardWorker\",\"args\":[1,1.0,null,{\"a\":\"é😀\"}],\"jid\":\"" + jid
                + "\",\"queue\":\"default\",\"retry\":true,\"created_at\":1795237556186}";
    }

    private static String failed(String jid, int retryCount) {
        return "{\"class\":\"HardWorker\",\"args\":[12345678901234567890123456789],\"jid\":\"" + jid
                + "\",\"queue\":\"low\",\"retry\":3,\"created_at\":1795237556186,\"enqueued_at\":1795237556186,\"retry_count\":"
                + retryCount + ",\"x\":[]}";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    /** Three jobs of one score, one before and one after. */
    private void seed(String key, String one, String... others) {
        redis.texts().zadd(key, 1795238150.5755093, one);
        for (int i = 0; i < others.length; i++) {
            redis.texts().zadd(key, i < 2 ? 1795238150.5755093 : 1795238150.0 + i, others[i]);
        }
    }

    private static List<String> without(List<String> entries, String one) {
        return entries.stream().filter(entry -> !entry.endsWith(one)).toList();
    }

    @ParameterizedTest
    @EnumSource(JobSet.class)
    @Tag("sidekiq-20.1")
    @Tag("sidekiq-31")
    void deletesOneJobAndLeavesItsNeighboursOfTheSameScore(JobSet set) {
        String key = key(set);
        seed(key, job("b"), job("a"), job("c"), job("d"), job("e"));
        SortedMap<String, Object> before = RedisSnapshot.of(redis);
        List<String> rest = without(RedisSnapshot.scored(redis, key), job("b"));

        assertThat(admin.sets().delete(set, bytes(job("b")))).isTrue();

        assertThat(RedisSnapshot.of(redis)).isEqualTo(RedisSnapshot.with(before, key, rest));
        assertThat(rest).hasSize(4);
    }

    private static String key(JobSet set) {
        return switch (set) {
            case SCHEDULED -> "schedule";
            case RETRY -> "retry";
            case DEAD -> "dead";
        };
    }

    @Test
    void doesNothingToAJobThatIsGone() {
        seed("retry", failed("b", 1), failed("a", 1), failed("c", 1));
        SortedMap<String, Object> before = RedisSnapshot.of(redis);
        byte[] gone = bytes(failed("b", 2));
        List<String> asked = new ArrayList<>();
        middleware.add((payload, next) -> {
            asked.add("middleware");
            return next.proceed(payload);
        });
        deathHandlers.add((payload, failure) -> asked.add("death handler"));

        assertThat(admin.sets().delete(JobSet.RETRY, gone)).isFalse();
        assertThat(admin.sets().runNow(JobSet.RETRY, gone)).isEqualTo(RunResult.GONE);
        assertThat(admin.sets().kill(JobSet.RETRY, gone)).isFalse();
        assertThat(admin.sets().reschedule(JobSet.RETRY, gone, NOW)).isFalse();

        assertThat(RedisSnapshot.of(redis)).isEqualTo(before);
        assertThat(asked).isEmpty();
    }

    @Test
    void aJobThatGoesWhileTheMiddlewareIsAskedIsNotEnqueued() {
        seed("retry", failed("b", 1), failed("a", 1));
        middleware.add((payload, next) -> {
            redis.bytes().zrem(bytes("retry"), bytes(failed("b", 1)));
            return next.proceed(payload);
        });

        assertThat(admin.sets().runNow(JobSet.RETRY, bytes(failed("b", 1)))).isEqualTo(RunResult.GONE);

        assertThat(RedisSnapshot.of(redis))
                .isEqualTo(RedisSnapshot.only("retry", List.of("1.7952381505755093E9 " + failed("a", 1))));
    }

    @Test
    @Tag("sidekiq-4")
    @Tag("sidekiq-20.1")
    void runsAFailedJobNowWithOneRetryFewerBehindIt() {
        seed("retry", failed("b", 2), failed("a", 2), failed("c", 2), failed("d", 2));
        List<String> rest = without(RedisSnapshot.scored(redis, "retry"), failed("b", 2));
        redis.texts().lpush("queue:low", "waiting");

        assertThat(admin.sets().runNow(JobSet.RETRY, bytes(failed("b", 2)))).isEqualTo(RunResult.ENQUEUED);

        String enqueued =
                failed("b", 1).replace("\"enqueued_at\":1795237556186", "\"enqueued_at\":" + NOW.toEpochMilli());
        assertThat(RedisSnapshot.of(redis))
                .isEqualTo(RedisSnapshot.only(
                        "retry",
                        rest,
                        "queue:low",
                        List.of(enqueued, "waiting"),
                        "queues",
                        new TreeSet<>(Set.of("low"))));
    }

    @Test
    void runsAScheduledJobNowWithItsRetryCountAsItIs() {
        String scheduled = job("b").replace("\"retry\":true", "\"retry\":true,\"retry_count\":4");
        seed("schedule", scheduled);

        assertThat(admin.sets().runNow(JobSet.SCHEDULED, bytes(scheduled))).isEqualTo(RunResult.ENQUEUED);

        assertThat(RedisSnapshot.of(redis))
                .isEqualTo(RedisSnapshot.only(
                        "queue:default",
                        List.of(scheduled.replace(
                                "1795237556186}", "1795237556186,\"enqueued_at\":" + NOW.toEpochMilli() + "}")),
                        "queues",
                        new TreeSet<>(Set.of("default"))));
    }

    @Test
    @Tag("sidekiq-20.1")
    void revivesADeadJob() {
        seed("dead", failed("b", 0));

        assertThat(admin.sets().runNow(JobSet.DEAD, bytes(failed("b", 0)))).isEqualTo(RunResult.ENQUEUED);

        assertThat(redis.texts().exists("dead")).isZero();
        Payload enqueued = Payload.parse(redis.bytes().lpop(bytes("queue:low")));
        assertThat(enqueued.integer("retry_count")).isEqualTo(-1);
    }

    @Test
    @Tag("sidekiq-20.1")
    void fillsInWhatAJobNeedsToRun() {
        String bare = "{\"class\":\"A\",\"args\":[],\"at\":1.5}";
        seed("schedule", bare);

        assertThat(admin.sets().runNow(JobSet.SCHEDULED, bytes(bare))).isEqualTo(RunResult.ENQUEUED);

        assertThat(redis.texts().lrange("queue:default", 0, -1))
                .containsExactly("{\"class\":\"A\",\"args\":[],\"queue\":\"default\",\"retry\":true,\"enqueued_at\":"
                        + NOW.toEpochMilli() + "}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"\"", "7", "null", "[\"low\"]"})
    void aJobWithoutAUsableQueueGoesToTheDefaultQueue(String queue) {
        String odd = "{\"class\":\"A\",\"args\":[],\"retry\":true,\"queue\":" + queue + "}";
        seed("retry", odd);

        assertThat(admin.sets().runNow(JobSet.RETRY, bytes(odd))).isEqualTo(RunResult.ENQUEUED);

        Payload enqueued = Payload.parse(redis.bytes().lpop(bytes("queue:default")));
        assertThat(enqueued.queue()).isEqualTo("default");
    }

    @Test
    void aJobWhoseQueueNoWorkerCanServeStays() {
        String odd = "{\"class\":\"A\",\"args\":[],\"jid\":\"b\",\"retry\":true,\"queue\":\"a\\nb\"}";
        seed("retry", odd);
        SortedMap<String, Object> before = RedisSnapshot.of(redis);

        assertThatThrownBy(() -> admin.sets().runNow(JobSet.RETRY, bytes(odd)))
                .isInstanceOf(JobsException.class)
                .hasMessage(
                        "The job b names a queue with a line break or half a character, which no worker can serve, so it stays where it is; "
                                + "delete it or kill it");
        assertThat(admin.sets().all(JobSet.RETRY).run()).isEqualTo(new BulkResult(0, 1, 0, null));

        assertThat(RedisSnapshot.of(redis)).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"3\"", "2.5", "null", "[]", "99999999999999999999", "-9223372036854775808"})
    void anInvalidRetryCountIsLeftAsItIs(String count) {
        String odd = "{\"class\":\"A\",\"args\":[],\"queue\":\"q\",\"retry\":true,\"retry_count\":" + count + "}";
        seed("retry", odd);

        admin.sets().runNow(JobSet.RETRY, bytes(odd));

        assertThat(redis.texts().lindex("queue:q", 0)).contains("\"retry_count\":" + count + ",\"enqueued_at\"");
    }

    @Test
    void theMiddlewareMayChangeAJobAndItsQueue() {
        seed("retry", failed("b", 1));
        middleware.add(
                (payload, next) -> next.proceed(payload.with("queue", "außen é").with("mark", 1)));

        assertThat(admin.sets().runNow(JobSet.RETRY, bytes(failed("b", 1)))).isEqualTo(RunResult.ENQUEUED);

        Payload enqueued = Payload.parse(redis.bytes().lpop(bytes("queue:außen é")));
        assertThat(enqueued.asMap()).containsEntry("mark", 1L).containsEntry("enqueued_at", NOW.toEpochMilli());
        assertThat(redis.texts().smembers("queues")).containsExactly("außen é");
    }

    @Test
    @Tag("sidekiq-20.1")
    void aVetoedJobStaysWhereItIs() {
        seed("retry", failed("b", 1), failed("a", 1));
        SortedMap<String, Object> before = RedisSnapshot.of(redis);
        middleware.add((payload, next) -> null);

        assertThat(admin.sets().runNow(JobSet.RETRY, bytes(failed("b", 1)))).isEqualTo(RunResult.VETOED);

        assertThat(RedisSnapshot.of(redis)).isEqualTo(before);
    }

    @Test
    void anErrorOfAMiddlewareReachesTheCallerAndTheJobStays() {
        seed("retry", failed("b", 1));
        SortedMap<String, Object> before = RedisSnapshot.of(redis);
        middleware.add((payload, next) -> {
            throw new IllegalStateException("no licence");
        });

        assertThatThrownBy(() -> admin.sets().runNow(JobSet.RETRY, bytes(failed("b", 1))))
                .hasMessage("no licence");

        assertThat(RedisSnapshot.of(redis)).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(names = {"SCHEDULED", "RETRY"})
    @Tag("sidekiq-12")
    @Tag("sidekiq-20.1")
    void killsAJobByteForByteAndCallsTheDeathHandlers(JobSet set) {
        String key = key(set);
        seed(key, failed("b", 1), failed("a", 1), failed("c", 1));
        List<String> rest = without(RedisSnapshot.scored(redis, key), failed("b", 1));
        List<String> told = new ArrayList<>();
        deathHandlers.add((payload, failure) -> {
            throw new IllegalStateException("ignored");
        });
        deathHandlers.add(0, (payload, failure) -> told.add(payload.jid() + " " + failure));

        assertThat(admin.sets().kill(set, bytes(failed("b", 1)))).isTrue();

        assertThat(RedisSnapshot.scored(redis, key)).isEqualTo(rest);
        assertThat(redis.texts().zrange("dead", 0, -1)).containsExactly(failed("b", 1));
        assertThat(redis.texts().zscore("dead", failed("b", 1)))
                .isBetween(
                        redis.texts().time().stream()
                                        .mapToDouble(Double::parseDouble)
                                        .findFirst()
                                        .orElse(0)
                                - 60,
                        1e12);
        assertThat(RedisSnapshot.of(redis).keySet()).containsExactlyInAnyOrder(key, "dead");
        assertThat(told).containsExactly("b null");
    }

    @Test
    @Tag("sidekiq-5")
    void writesFloatSecondsIfConfigured() {
        seed("retry", failed("a", 1));
        try (JobsAdmin older = new JobsAdmin(
                connections,
                LIMITS,
                JobHooks.none(),
                Clock.fixed(NOW, ZoneOffset.UTC),
                PayloadTimes.FLOAT_SECONDS,
                List.of(),
                List.of())) {
            older.sets().runNow(JobSet.RETRY, bytes(failed("a", 1)));
        }

        assertThat(redis.texts().lindex("queue:low", 0)).contains("\"enqueued_at\":" + NOW.getEpochSecond() + ".123,");
    }

    @Test
    @Tag("sidekiq-0.13")
    @Tag("sidekiq-12")
    void killingTrimsTheDeadSet() {
        JobsAdmin small = new JobsAdmin(
                connections,
                new DeadSetBounds(3, Duration.ofDays(1)),
                JobHooks.none(),
                Clock.fixed(NOW, ZoneOffset.UTC));
        redis.texts().zadd("dead", 1.0, "much too old");
        seed("retry", failed("a", 1), failed("b", 1), failed("c", 1));

        small.sets().kill(JobSet.RETRY, bytes(failed("a", 1)));
        assertThat(redis.texts().zrange("dead", 0, -1)).containsExactly(failed("a", 1));
        small.sets().kill(JobSet.RETRY, bytes(failed("b", 1)));
        small.sets().kill(JobSet.RETRY, bytes(failed("c", 1)));

        assertThat(redis.texts().zrange("dead", 0, -1)).containsExactly(failed("b", 1), failed("c", 1));
        small.close();
    }

    @Test
    @Tag("sidekiq-0.8")
    @Tag("sidekiq-20.1")
    @Tag("sidekiq-31")
    void reschedulesTheSameBytesAsExactlyOneEntry() {
        // Ruby would not write it like this: white space, an escape, a duplicate member
        String odd = "{ \"class\": \"A\", \"args\": [\"\\u00e9\"], \"jid\": \"b\", \"jid\": \"b\" }";
        seed("schedule", odd, job("a"), job("c"));
        List<String> rest = without(RedisSnapshot.scored(redis, "schedule"), odd);

        assertThat(admin.sets().reschedule(JobSet.SCHEDULED, bytes(odd), Instant.parse("2100-01-01T00:00:00.25Z")))
                .isTrue();

        List<String> expected = new ArrayList<>(rest);
        expected.add("4.10244480025E9 " + odd);
        assertThat(RedisSnapshot.of(redis)).isEqualTo(RedisSnapshot.only("schedule", expected));
    }

    @Test
    void reschedulesToAnyTimeThereIs() {
        seed("retry", failed("b", 1));

        admin.sets().reschedule(JobSet.RETRY, bytes(failed("b", 1)), Instant.parse("+30000-01-01T00:00:00Z"));
        assertThat(admin.sets()
                        .jobs(JobSet.RETRY, job -> true, 0, 10, ScanBudget.standard())
                        .items()
                        .get(0)
                        .job()
                        .at())
                .isEqualTo(Instant.parse("+30000-01-01T00:00:00Z"));
        admin.sets().reschedule(JobSet.RETRY, bytes(failed("b", 1)), Instant.MAX);
        admin.sets().reschedule(JobSet.RETRY, bytes(failed("b", 1)), Instant.EPOCH);

        assertThat(RedisSnapshot.scored(redis, "retry")).containsExactly("0.0 " + failed("b", 1));
        assertThatThrownBy(
                        () -> admin.sets().reschedule(JobSet.RETRY, bytes(failed("b", 1)), Instant.ofEpochSecond(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'at' must not be before 1970 but was 1969-12-31T23:59:59Z");
    }

    @Test
    void deadJobsCanNeitherDieAgainNorWait() {
        seed("dead", failed("b", 1));
        SortedMap<String, Object> before = RedisSnapshot.of(redis);

        assertThatThrownBy(() -> admin.sets().kill(JobSet.DEAD, bytes(failed("b", 1))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.sets().all(JobSet.DEAD).kill()).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.sets().reschedule(JobSet.DEAD, bytes(failed("b", 1)), NOW))
                .isInstanceOf(IllegalArgumentException.class);

        assertThat(RedisSnapshot.of(redis)).isEqualTo(before);
    }

    @Test
    void anEntryThatIsNoJobCanBeKilledMovedAndDeletedButNotRun() {
        byte[] garbage = {'{', (byte) 0xff, 0, '\n', '*'};
        redis.bytes().zadd(bytes("retry"), 5, garbage);
        List<Payload> told = new ArrayList<>();
        deathHandlers.add((payload, failure) -> told.add(payload));

        assertThatThrownBy(() -> admin.sets().runNow(JobSet.RETRY, garbage))
                .isInstanceOf(JobsException.class)
                .hasMessageStartingWith("This entry of the retry set can't be run, it stays there: Not JSON: ")
                .hasMessageEndingWith(" Delete it or kill it.");
        assertThat(redis.bytes().zscore(bytes("retry"), garbage)).isEqualTo(5);
        assertThat(admin.sets().reschedule(JobSet.RETRY, garbage, NOW)).isTrue();
        assertThat(admin.sets().kill(JobSet.RETRY, garbage)).isTrue();

        assertThat(redis.bytes().zrange(bytes("dead"), 0, -1)).containsExactly(garbage);
        assertThat(told).isEmpty();
        assertThat(admin.sets().delete(JobSet.DEAD, garbage)).isTrue();
        assertThat(RedisSnapshot.of(redis)).isEmpty();
    }

    @Test
    void aJobStaysIfTheKeyOfItsQueueIsNoList() {
        redis.texts().set("queue:low", "not a list");
        seed("retry", failed("b", 1));
        SortedMap<String, Object> before = RedisSnapshot.of(redis);

        assertThatThrownBy(() -> admin.sets().runNow(JobSet.RETRY, bytes(failed("b", 1))))
                .isInstanceOfSatisfying(
                        JobStoreException.class, e -> assertThat(e.kind()).isEqualTo(JobStoreException.Kind.WRONG_TYPE))
                .hasMessage(
                        "The key of queue 'low' holds another type than it should, so the job stays in the retry set; "
                                + "remove that key first");
        redis.texts().set("dead", "no set");
        assertThatThrownBy(() -> admin.sets().kill(JobSet.RETRY, bytes(failed("b", 1))))
                .hasMessageStartingWith("The key of the dead set holds another type");

        assertThat(RedisSnapshot.of(redis)).isEqualTo(RedisSnapshot.with(before, "dead", "no set"));
    }

    @Test
    void aFullRedisLetsJobsMoveOn() {
        seed("retry", failed("a", 1), failed("b", 1), failed("c", 1), failed("d", 1));
        redis.texts().configSet("maxmemory", "1");
        try {
            assertThat(admin.sets().delete(JobSet.RETRY, bytes(failed("a", 1)))).isTrue();
            assertThat(admin.sets().kill(JobSet.RETRY, bytes(failed("b", 1)))).isTrue();
            assertThat(admin.sets().runNow(JobSet.RETRY, bytes(failed("c", 1)))).isEqualTo(RunResult.ENQUEUED);
            assertThat(admin.sets().reschedule(JobSet.RETRY, bytes(failed("d", 1)), NOW))
                    .isTrue();
            assertThat(admin.sets().all(JobSet.RETRY).delete().done()).isEqualTo(1);
        } finally {
            redis.texts().configSet("maxmemory", "0");
        }
        assertThat(RedisSnapshot.of(redis).keySet()).containsExactlyInAnyOrder("dead", "queue:low", "queues");
    }

    @Test
    void actsUnderAPrefix() {
        try (JobsAdmin shop = admin(redis.connections("{shop}:"))) {
            redis.texts().zadd("{shop}:retry", 7, failed("b", 1));
            redis.texts().zadd("retry", 7, failed("b", 1));

            assertThat(shop.sets().runNow(JobSet.RETRY, bytes(failed("b", 1)))).isEqualTo(RunResult.ENQUEUED);

            assertThat(RedisSnapshot.of(redis).keySet())
                    .containsExactlyInAnyOrder("retry", "{shop}:queue:low", "{shop}:queues");
        }
    }

    @Test
    void neverKeepsTheCallersBytes() {
        seed("retry", failed("b", 1));
        List<Payload> died = new ArrayList<>();
        deathHandlers.add((payload, failure) -> died.add(payload));
        byte[] mine = bytes(failed("b", 1));

        admin.sets().kill(JobSet.RETRY, mine);
        Arrays.fill(mine, (byte) 'X');

        assertThat(died).extracting(Payload::name).containsExactly("HardWorker");
    }
}
