package dev.jobs.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.DeathHandler;
import dev.jobs.EnqueueMiddleware;
import dev.jobs.JobErrorHandler;
import dev.jobs.JobHooks;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.redis.RedisConnections;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.RedisFixture;
import io.lettuce.core.Range;
import io.lettuce.core.ScoredValue;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class BulkActionsIT {

    private static final Instant NOW = Instant.parse("2026-11-21T08:00:00Z");
    private static final int MANY = 5_000;

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    static final RedisConnections connections = redis.connections("");

    private final List<EnqueueMiddleware> middleware = new ArrayList<>();
    private final List<DeathHandler> deathHandlers = new ArrayList<>();
    private final List<JobErrorHandler> errorHandlers = new ArrayList<>();

    @AutoClose
    private final JobsAdmin admin = new JobsAdmin(
            connections,
            new DeadSetBounds(100_000, Duration.ofDays(180)),
            JobHooks.none()
                    .with(EnqueueMiddleware.class, (payload, next) -> EnqueueMiddleware.apply(middleware, payload))
                    .with(
                            DeathHandler.class,
                            (payload, failure) -> deathHandlers.forEach(each -> each.died(payload, failure)))
                    .with(
                            JobErrorHandler.class,
                            (error, context, payload) ->
                                    errorHandlers.forEach(each -> each.failed(error, context, payload))),
            Clock.fixed(NOW, ZoneOffset.UTC));

    private static String job(int number) {
        return "{\"class\":\"A\",\"args\":[" + number + "],\"jid\":\"" + jid(number)
                + "\",\"queue\":\"q\",\"retry\":true,\"retry_count\":5}";
    }

    private static String jid(int number) {
        return String.format("%024d", number);
    }

    @SuppressWarnings("unchecked")
    private static void seed(String key, int from, int to, IntToDoubleFunction score) {
        for (int slice = from; slice < to; slice += 1_000) {
            ScoredValue<String>[] values = IntStream.range(slice, Math.min(slice + 1_000, to))
                    .mapToObj(i -> ScoredValue.just(score.applyAsDouble(i), job(i)))
                    .toArray(ScoredValue[]::new);
            redis.texts().zadd(key, values);
        }
    }

    /** The numbers of the jobs in a queue, the one that is taken next first. */
    private static List<Integer> taken(String queue) {
        List<Integer> numbers = new ArrayList<>();
        for (String payload : redis.texts().lrange("queue:" + queue, 0, -1)) {
            numbers.add(0, number(payload));
        }
        return numbers;
    }

    private static int number(String payload) {
        return Integer.parseInt(payload.substring(payload.indexOf('[') + 1, payload.indexOf(']')));
    }

    private static List<Integer> numbers(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    @ParameterizedTest
    @EnumSource(JobSet.class)
    void deletesAllJobsOfABigSetAndNothingElse(JobSet set) {
        for (String key : List.of("schedule", "retry", "dead")) {
            seed(key, 0, 100, i -> i);
        }
        String key = set == JobSet.SCHEDULED ? "schedule" : set == JobSet.RETRY ? "retry" : "dead";
        seed(key, 0, MANY, i -> i);

        assertThat(admin.sets().all(set).delete().done()).isEqualTo(MANY);

        assertThat(RedisSnapshot.of(redis).keySet())
                .isEqualTo(RedisSnapshot.with(
                                RedisSnapshot.with(new java.util.TreeMap<>(), "schedule", 1, "retry", 1, "dead", 1),
                                key,
                                null)
                        .keySet());
        assertThat(admin.sets().all(set).delete().done()).isZero();
    }

    @Test
    @Tag("sidekiq-20.1")
    void runsAllJobsOfABigSetSoonestFirst() {
        seed("retry", 0, MANY, i -> 1_000_000 + i * 0.37);

        assertThat(admin.sets().all(JobSet.RETRY).run()).isEqualTo(new BulkResult(MANY, 0, 0, null));

        assertThat(taken("q")).isEqualTo(numbers(0, MANY));
        assertThat(redis.texts().lindex("queue:q", 0))
                .contains("\"retry_count\":4", "\"enqueued_at\":" + NOW.toEpochMilli());
        assertThat(RedisSnapshot.of(redis).keySet()).containsExactlyInAnyOrder("queue:q", "queues");
    }

    @Test
    @Tag("sidekiq-12")
    @Tag("sidekiq-20.1")
    void killsAllJobsOfABigSetThatHaveOneScore() {
        seed("schedule", 0, MANY, i -> 4_000_000_000.0);
        List<String> died = new ArrayList<>();
        deathHandlers.add((payload, failure) -> died.add(payload.jid()));

        assertThat(admin.sets().all(JobSet.SCHEDULED).kill()).isEqualTo(new BulkResult(MANY, 0, 0, null));

        assertThat(died).hasSize(MANY).doesNotHaveDuplicates();
        assertThat(redis.texts().zcard("dead")).isEqualTo(MANY);
        assertThat(redis.texts().exists("schedule")).isZero();
    }

    @Test
    void actsOnMatchingJobsOnly() {
        seed("retry", 0, 1_000, i -> 7);
        seed("retry", 1_000, 2_000, i -> i);

        BulkResult result = admin.sets()
                .all(JobSet.RETRY, job -> job.contains("\"args\":[1"))
                .delete();
        BulkResult run = admin.sets()
                .all(JobSet.RETRY, job -> number(job.text(1_000)) % 2 == 0)
                .run();

        List<Integer> expectedLeft = numbers(0, 2_000).stream()
                .filter(i -> !String.valueOf(i).startsWith("1"))
                .toList();
        assertThat(result).isEqualTo(new BulkResult(2_000 - expectedLeft.size(), 0, 0, null));
        List<Integer> even = expectedLeft.stream().filter(i -> i % 2 == 0).toList();
        assertThat(run).isEqualTo(new BulkResult(even.size(), 0, 0, null));
        assertThat(taken("q")).containsExactlyInAnyOrderElementsOf(even);
        assertThat(redis.texts().zrange("retry", 0, -1).stream().map(BulkActionsIT::number))
                .containsExactlyInAnyOrderElementsOf(
                        expectedLeft.stream().filter(i -> i % 2 == 1).toList());
    }

    @Test
    void asksAboutEachJobOnceEvenIfManyOfOneScoreStay() {
        seed("retry", 0, 950, i -> 7);
        seed("retry", 950, 1_250, i -> 8);
        List<String> asked = new ArrayList<>();
        middleware.add((payload, next) -> {
            asked.add(payload.jid());
            return asked.size() % 3 == 0 ? next.proceed(payload) : null;
        });

        BulkResult result = admin.sets().all(JobSet.RETRY).run();

        assertThat(asked).hasSize(1_250).doesNotHaveDuplicates();
        assertThat(result).isEqualTo(new BulkResult(416, 834, 0, null));
        assertThat(redis.texts().zcard("retry")).isEqualTo(834);
        assertThat(redis.texts().llen("queue:q")).isEqualTo(416);
    }

    @Test
    void aJobThatCannotRunStaysAndDelaysNoOther() {
        redis.texts().zadd("retry", 1, "no job");
        redis.texts().zadd("retry", 2, "[]");
        redis.texts().zadd("retry", 3, job(3).replace("\"q\"", "\"broken\""));
        redis.texts().zadd("retry", 4, job(4));
        redis.texts().zadd("retry", 5, job(5));
        redis.texts().set("queue:broken", "not a list");
        List<String> errors = new ArrayList<>();
        errorHandlers.add((error, context, payload) -> errors.add(error.getMessage() + ": " + context));
        middleware.add((payload, next) -> {
            if (jid(4).equals(payload.jid())) {
                throw new IllegalStateException("no licence");
            }
            return next.proceed(payload);
        });

        assertThat(admin.sets().all(JobSet.RETRY).run()).isEqualTo(new BulkResult(1, 4, 0, null));

        assertThat(taken("q")).containsExactly(5);
        assertThat(redis.texts().zrange("retry", 0, -1))
                .containsExactly("no job", "[]", job(3).replace("\"q\"", "\"broken\""), job(4));
        assertThat(errors).containsExactly("no licence: A job can't be run now, it stays in the retry set");
    }

    @Test
    void manyJobsThatCannotGoDoNotHideThoseBehindThem() {
        for (int i = 1_000; i < 1_250; i++) {
            redis.texts().zadd("retry", 7, job(i).replace("\"q\"", "\"broken\""));
        }
        seed("retry", 2_000, 2_150, i -> 7);
        redis.texts().set("queue:broken", "not a list");

        assertThat(admin.sets().all(JobSet.RETRY).run()).isEqualTo(new BulkResult(150, 250, 0, null));

        assertThat(taken("q")).isEqualTo(numbers(2_000, 2_150));
        assertThat(redis.texts().zcard("retry")).isEqualTo(250);
    }

    @Test
    void killsEntriesThatAreNotJobs() {
        redis.bytes().zadd("retry".getBytes(UTF_8), 1, new byte[] {(byte) 0xff, '{'});
        redis.texts().zadd("retry", 2, job(2));

        assertThat(admin.sets().all(JobSet.RETRY).kill()).isEqualTo(new BulkResult(2, 0, 0, null));

        assertThat(redis.texts().zcard("dead")).isEqualTo(2);
        assertThat(redis.texts().exists("retry")).isZero();
    }

    @Timeout(180)
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void comesToAnEndWhileOthersAddJobs(boolean sooner) {
        seed("retry", 0, 1_000, i -> 1_000);
        int[] added = {10_000};
        middleware.add((payload, next) -> {
            // two new jobs for each, before or after it
            seed("retry", added[0], added[0] + 2, i -> sooner ? 1 : 2_000);
            added[0] += 2;
            return next.proceed(payload);
        });

        assertThat(admin.sets().all(JobSet.RETRY).run()).isEqualTo(new BulkResult(1_000, 0, 0, null));

        assertThat(taken("q")).containsExactlyInAnyOrderElementsOf(numbers(0, 1_000));
        assertThat(redis.texts().zcard("retry")).isEqualTo(2_000);
    }

    @Test
    void leavesJobsAloneThatAreAddedBehindTheLastOne() {
        seed("retry", 0, 300, i -> i);
        middleware.add((payload, next) -> {
            redis.texts().zremrangebyscore("retry", Range.create(1, 299));
            seed("retry", 1_000, 1_300, i -> i);
            return next.proceed(payload);
        });

        assertThat(admin.sets().all(JobSet.RETRY).run()).isEqualTo(new BulkResult(1, 0, 0, null));

        assertThat(redis.texts().zcard("retry")).isEqualTo(300);
    }

    @Timeout(180)
    @Test
    void comesToAnEndWhileJobsOfTheSameScoreAreAdded() {
        seed("retry", 0, 1_000, i -> 1_000);
        int[] added = {10_000};
        middleware.add((payload, next) -> {
            seed("retry", added[0], added[0] + 2, i -> 1_000);
            added[0] += 2;
            return next.proceed(payload);
        });

        assertThat(admin.sets().all(JobSet.RETRY).run()).isEqualTo(new BulkResult(1_000, 0, 0, null));

        assertThat(redis.texts().zcard("retry")).isEqualTo(2_000);
    }

    @Test
    void countsOnlyWhatItDidItself() {
        seed("retry", 0, 300, i -> i);
        middleware.add((payload, next) -> {
            redis.texts().zrem("retry", job(number(new String(payload.rawArgs(), UTF_8)) + 1));
            return next.proceed(payload);
        });

        BulkResult result = admin.sets().all(JobSet.RETRY).run();

        // of each batch only the first job is still there when the batch is moved
        assertThat(result).isEqualTo(new BulkResult(3, 0, 0, null));
        assertThat(taken("q")).hasSize(3);
        assertThat(redis.texts().exists("retry")).isZero();
    }

    @Test
    void goesThroughEveryPossibleScore() {
        double[] scores = {
            Double.NEGATIVE_INFINITY,
            -1e300,
            -1,
            -0.1,
            0,
            1e-300,
            0.1 + 0.2,
            1795238150.5755093,
            8.8e11,
            1e300,
            Double.POSITIVE_INFINITY
        };
        for (int i = 0; i < scores.length; i++) {
            double score = scores[i];
            seed("schedule", 1_000 * i, 1_000 * i + 150, each -> score);
        }

        assertThat(admin.sets()
                        .all(JobSet.SCHEDULED, job -> number(job.text(100)) % 2 == 0)
                        .kill())
                .isEqualTo(new BulkResult(75L * scores.length, 0, 0, null));
        assertThat(admin.sets().all(JobSet.SCHEDULED).run()).isEqualTo(new BulkResult(75L * scores.length, 0, 0, null));

        assertThat(redis.texts().exists("schedule")).isZero();
    }

    @Test
    void doesNothingToAnEmptySet() {
        assertThat(admin.sets().all(JobSet.DEAD).run()).isEqualTo(new BulkResult(0, 0, 0, null));
        assertThat(admin.sets().all(JobSet.RETRY).kill()).isEqualTo(new BulkResult(0, 0, 0, null));
        assertThat(admin.sets().all(JobSet.RETRY, job -> true).delete()).isEqualTo(new BulkResult(0, 0, 0, null));
        assertThat(RedisSnapshot.of(redis)).isEmpty();
    }

    @Test
    @Tag("sidekiq-2")
    @Tag("sidekiq-20.1")
    void clearsAQueueAndForgetsItInOneStep() {
        redis.texts().sadd("queues", "a b é", "other");
        for (int i = 0; i < MANY / 1_000; i++) {
            redis.texts()
                    .lpush(
                            "queue:a b é",
                            IntStream.range(0, 1_000)
                                    .mapToObj(BulkActionsIT::job)
                                    .toArray(String[]::new));
        }
        redis.texts().lpush("queue:other", "x");

        assertThat(admin.queues().clear("a b é")).isEqualTo(MANY);
        assertThat(admin.queues().clear("a b é")).isZero();

        assertThat(RedisSnapshot.of(redis))
                .isEqualTo(RedisSnapshot.only(
                        "queue:other", List.of("x"), "queues", new java.util.TreeSet<>(Set.of("other"))));
    }

    @Test
    void clearingRepairsABrokenQueue() {
        redis.texts().set("queue:q", "not a list");
        redis.texts().set("queues", "not a set");

        assertThat(admin.queues().clear("q")).isZero();

        assertThat(RedisSnapshot.of(redis)).isEqualTo(RedisSnapshot.only("queues", "not a set"));
        assertThatThrownBy(() -> admin.queues().clear(""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'queue' must be the name of a queue but was empty");
    }
}
