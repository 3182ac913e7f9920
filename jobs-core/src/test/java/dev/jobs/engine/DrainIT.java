package dev.jobs.engine;

import static dev.jobs.assembly.EngineTestBed.payload;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobFailedException;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.proof.LongTest;
import dev.jobs.store.JobClaims;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many jobs: each runs once, the books are right to the last one, and queues are served in their order. */
class DrainIT {

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private final Jobs jobs = new Jobs();

    @AfterEach
    void close() {
        jobs.gate.countDown();
    }

    static final class Jobs {
        final LongAdder count = new LongAdder();
        final ConcurrentHashMap<Integer, Integer> runs = new ConcurrentHashMap<>();
        final List<String> order = new java.util.concurrent.CopyOnWriteArrayList<>();
        final AtomicInteger atOnce = new AtomicInteger();
        final AtomicInteger most = new AtomicInteger();
        final CountDownLatch gate = new CountDownLatch(1);

        @Job("Noop")
        void noop(int id) {
            count.increment();
        }

        @Job("Refuse")
        void refuse(int id) {
            count.increment();
            throw new JobFailedException("refused");
        }

        @Job("Once")
        void once(int id) {
            runs.merge(id, 1, Integer::sum);
        }

        @Job("Ordered")
        void ordered(String id) {
            order.add(id);
        }

        @Job("Gated")
        void gated() throws InterruptedException {
            most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            gate.await();
            atOnce.decrementAndGet();
        }
    }

    private static void pushMany(String name, int count) {
        byte[] queue = "queue:default".getBytes(UTF_8);
        for (int from = 0; from < count; from += 1_000) {
            byte[][] slice = new byte[Math.min(1_000, count - from)][];
            for (int i = 0; i < slice.length; i++) {
                slice[i] = payload(name, "j" + (from + i), "[" + (from + i) + "]", "\"retry\":true")
                        .getBytes(UTF_8);
            }
            redis.bytes().lpush(queue, slice);
        }
    }

    @LongTest
    @Test
    void aHundredThousandJobsDrainAndTheBooksAreExact() {
        pushMany("Noop", 100_000);
        bed.start(jobs);
        await().atMost(Duration.ofSeconds(100)).until(() -> jobs.count.sum() >= 100_000);
        bed.awaitDrained("default");
        assertThat(jobs.count.sum()).isEqualTo(100_000);
        assertThat(bed.processed()).isEqualTo(100_000);
        assertThat(bed.failed()).isZero();
        assertThat(bed.books().acked()).isEqualTo(100_000);
        assertThat(bed.books().conservationError()).isZero();
    }

    /** Free threads make room for two exchanges, however few jobs a busy machine runs in a moment. */
    @Test
    void anExchangeIsUnderWayBehindAnotherOnlyWhileThereIsMuchToClaim() {
        bed.config = EngineConfig.of(4 * JobClaims.BATCH, "default");
        pushMany("Noop", 10);
        JobEngine engine = bed.start(jobs);
        String held = "jobs:in:" + engine.health().identity();
        await().until(() -> jobs.count.sum() >= 10);
        bed.awaitDrained("default");
        assertThat(redis.texts().hget(held, "#1")).isIn(null, "0");

        pushMany("Noop", 10_000);
        await().until(() -> jobs.count.sum() >= 10_010);
        bed.awaitDrained("default");
        assertThat(redis.texts().hget(held, "#1")).isNotIn(null, "0");
        assertThat(bed.books().conservationError()).isZero();
    }

    /** Each exchange carries many jobs; otherwise the round trip to Redis would limit the throughput. */
    @LongTest
    @Test
    void aBusyCapsuleAsksRedisSeldom() {
        pushMany("Noop", 20_000);
        redis.texts().configResetstat();
        bed.start(jobs);
        await().until(() -> jobs.count.sum() >= 20_000);
        assertThat(redis.calls("evalsha")).isBetween(20_000L / JobClaims.BATCH, 20_000L / 10);
    }

    @LongTest
    @ParameterizedTest
    @ValueSource(strings = {"Noop", "Refuse"})
    void aBusyCapsuleAsksRedisSeldomForJobsOfABatchToo(String name) {
        byte[][] jobs = IntStream.range(0, 10_000)
                .mapToObj(i -> payload(name, String.format("00000000000000ab%08x", i), "[" + i + "]", "\"jb\":1"))
                .map(job -> job.getBytes(UTF_8))
                .toArray(byte[][]::new);
        redis.bytes().lpush("queue:default".getBytes(UTF_8), jobs);
        redis.texts().configResetstat();
        bed.start(this.jobs);
        await().atMost(Duration.ofSeconds(100)).until(() -> this.jobs.count.sum() >= jobs.length);
        assertThat(redis.calls("evalsha")).isBetween((long) jobs.length / JobClaims.BATCH, jobs.length / 5L);
    }

    @Test
    void jobsReadAheadDoNotWaitBehindALongJob() {
        bed.capsules(CapsuleConfig.of("default", 1, List.of("default")));
        pushMany("Once", 2_000);
        bed.push("default", payload("Gated", "gated", "[]"));
        String[] behind = new String[1_000];
        for (int i = 0; i < behind.length; i++) {
            behind[i] = payload("Once", "behind" + i, "[" + (2_000 + i) + "]", "\"retry\":true");
        }
        redis.texts().lpush("queue:default", behind);
        bed.start(jobs);
        await().until(() -> jobs.atOnce.get() == 1);
        await().untilAsserted(() -> assertThat(bed.books().inFlight()).isEqualTo(1));
        assertThat(jobs.runs).hasSize(2_000);

        bed.start(jobs);
        await().until(() -> jobs.runs.size() == 3_000);
        assertThat(jobs.runs.values()).allSatisfy(runs -> assertThat(runs).isOne());
        jobs.gate.countDown();
        bed.awaitDrained("default");
        assertThat(bed.books().conservationError()).isZero();
        assertThat(bed.processed()).isEqualTo(3_001);
    }

    @Test
    void jobsThatGoBackKeepTheirOrder() {
        bed.capsules(CapsuleConfig.of("default", 1, List.of("default")));
        pushMany("Once", 2_000);
        bed.push("default", payload("Gated", "gated", "[]"));
        for (int i = 0; i < 50; i++) {
            bed.push("default", payload("Ordered", "o" + i, "[\"" + i + "\"]"));
        }
        bed.start(jobs);
        await().until(() -> jobs.atOnce.get() == 1);
        await().untilAsserted(() -> assertThat(bed.books().inFlight()).isEqualTo(1));
        jobs.gate.countDown();
        await().until(() -> jobs.order.size() == 50);
        assertThat(jobs.order)
                .containsExactlyElementsOf(java.util.stream.IntStream.range(0, 50)
                        .mapToObj(Integer::toString)
                        .toList());
    }

    @Test
    void twoEnginesRunEachJobOnce() {
        pushMany("Once", 10_000);
        bed.start(jobs);
        bed.start(jobs);
        await().atMost(Duration.ofSeconds(60)).until(() -> bed.processed() == 10_000);
        bed.awaitDrained("default");
        assertThat(jobs.runs).hasSize(10_000);
        assertThat(jobs.runs.values()).allSatisfy(runs -> assertThat(runs).isOne());
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    @Tag("sidekiq-0.6")
    @Tag("sidekiq-9")
    void theOldestJobOfTheFirstQueueRunsFirst() {
        bed.capsules(CapsuleConfig.of("default", 1, List.of("high", "default")));
        bed.push("default", payload("Ordered", "j1", "[\"d1\"]"));
        bed.push("default", payload("Ordered", "j2", "[\"d2\"]"));
        bed.push("high", payload("Ordered", "j3", "[\"h1\"]"));
        bed.push("high", payload("Ordered", "j4", "[\"h2\"]"));
        bed.start(jobs);
        await().until(() -> jobs.order.size() == 4);
        assertThat(jobs.order).containsExactly("h1", "h2", "d1", "d2");
    }

    @Test
    void neverMoreJobsRunOrAreClaimedThanTheCapsuleHasThreads() {
        bed.capsules(CapsuleConfig.of("default", 3, List.of("default")));
        for (int i = 0; i < 20; i++) {
            bed.push("default", payload("Gated", "j" + i, "[]"));
        }
        JobEngine engine = bed.start(jobs);
        await().until(() -> engine.health().busy() == 3);
        assertThat(bed.books().inFlight()).isEqualTo(3);
        assertThat(redis.texts().llen("queue:default")).isEqualTo(17);
        jobs.gate.countDown();
        bed.awaitDrained("default");
        assertThat(jobs.most).hasValue(3);
    }

    @Test
    void aFullCapsuleDelaysNoOther() {
        bed.capsules(CapsuleConfig.of("default", 2, List.of("default")), CapsuleConfig.of("fast", 1, List.of("fast")));
        bed.push("default", payload("Gated", "j1", "[]"));
        bed.push("default", payload("Gated", "j2", "[]"));
        JobEngine engine = bed.start(jobs);
        await().until(() -> engine.health().busy() == 2);
        bed.push("fast", payload("Ordered", "j3", "[\"f\"]"));
        await().until(() -> jobs.order.contains("f"));
    }

    @Test
    @Tag("sidekiq-9")
    @Tag("sidekiq-28")
    void aPausedQueueIsLeftAloneUntilItIsResumed() {
        bed.capsules(CapsuleConfig.of("default", 2, List.of("held", "default")));
        redis.texts().sadd("paused", "held");
        bed.push("held", payload("Ordered", "j1", "[\"held\"]"));
        bed.push("default", payload("Ordered", "j2", "[\"free\"]"));
        bed.start(jobs);
        await().until(() -> jobs.order.contains("free"));
        assertThat(redis.texts().llen("queue:held")).isEqualTo(1);
        redis.texts().srem("paused", "held");
        await().atMost(Duration.ofSeconds(20)).until(() -> jobs.order.contains("held"));
    }

    @Test
    void aQueueWhoseKeyIsNoListIsPassedOver() {
        bed.capsules(CapsuleConfig.of("default", 2, List.of("broken", "default")));
        redis.texts().set("queue:broken", "a string");
        bed.push("default", payload("Ordered", "j1", "[\"free\"]"));
        bed.start(jobs);
        await().until(() -> jobs.order.contains("free"));
        assertThat(redis.texts().get("queue:broken")).isEqualTo("a string");
    }

    @Test
    void aRetrySetOfTheWrongTypeKeepsFailedJobsInProgressUntilItIsMended() {
        redis.texts().set("retry", "a string");
        bed.push("default", payload("Nobody", "j1", "[]", "\"retry\":true"));
        bed.push("default", payload("Ordered", "j2", "[\"free\"]"));
        bed.start(jobs);
        await().until(() -> jobs.order.contains("free"));
        await().until(() -> bed.books().inFlight() == 1);
        redis.texts().del("retry");
        await().atMost(Duration.ofSeconds(20)).until(() -> redis.texts().zcard("retry") == 1);
        bed.awaitDrained("default");
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    void aJobThatComesToAnIdleEngineRings() {
        JobEngine engine = bed.start(jobs);
        await().until(() -> engine.health().doorbell());
        for (int i = 0; i < 50; i++) {
            String id = Integer.toString(i);
            bed.push("default", payload("Ordered", "j" + i, "[\"" + id + "\"]"));
            await().until(() -> jobs.order.contains(id));
        }
        await().until(() -> bed.processed() == 50);
    }
}
