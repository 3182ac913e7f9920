package dev.jobs.limiters;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobContext;
import dev.jobs.JobHooks;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobRegistry;
import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.BatchJobState;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.BatchesTestBed;
import dev.jobs.ends.TimeoutConfig;
import dev.jobs.engine.WorkerProcess;
import dev.jobs.iterations.Iteration;
import dev.jobs.limiters.LimiterStore.Answer;
import dev.jobs.limiters.LimiterStore.Permit;
import dev.jobs.proof.LongTest;
import dev.jobs.store.Effect;
import dev.jobs.testing.RedisFixture;
import dev.jobs.unique.Unique;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs that use limiters, and what becomes of those for which there is no room. */
class OverLimitIT extends BatchesTestBed {

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private static final String FAR = "3600";

    private final AtomicBoolean keepsPermits = new AtomicBoolean();
    private StoredLimiters limiters;
    private Calls calls;

    OverLimitIT() {
        super(redis);
    }

    /** Redis, which can't be reached when a permit is given back, if a test wants that. */
    private record Store(LimiterStore redis, AtomicBoolean keepsPermits) implements LimiterStore {

        @Override
        public Answer take(
                LimiterRule rule, long points, Duration patience, boolean comesBack, @Nullable Permit permit) {
            return redis.take(rule, points, patience, comesBack, permit);
        }

        @Override
        public void free(LimiterRule rule, Permit permit, Duration held) {
            if (keepsPermits.get()) {
                throw new JobStoreException(JobStoreException.Kind.TIMEOUT, "cut", null);
            }
            redis.free(rule, permit, held);
        }

        @Override
        public Effect freeing(LimiterRule rule, Permit permit) {
            return redis.freeing(rule, permit);
        }

        @Override
        public void correct(LimiterRule rule, long more) {
            redis.correct(rule, more);
        }

        @Override
        public void close() {
            redis.close();
        }
    }

    static final class Calls {

        final Limiters limiters;
        final List<String> ran = new CopyOnWriteArrayList<>();
        final AtomicInteger attempts = new AtomicInteger();
        final CountDownLatch inside = new CountDownLatch(1);
        final CountDownLatch gate = new CountDownLatch(1);
        final Semaphore unstuck = new Semaphore(0);

        Calls(Limiters limiters) {
            this.limiters = limiters;
        }

        @Job(value = "over", retry = 2)
        void over(double seconds) {
            attempts.incrementAndGet();
            throw new OverLimitException("erp", Duration.ofNanos((long) (seconds * 1e9)));
        }

        @Job(value = "over-once", retry = 2)
        void overOnce(int number) {
            if (attempts.incrementAndGet() == 1) {
                throw new OverLimitException("erp", Duration.ofMillis(1));
            }
            ran.add("done " + number);
        }

        @Job("refused")
        void refused() {
            throw new UncheckedIOException(new IOException("429"));
        }

        @Job("window")
        void window(int number) {
            limiters.window("erp", 5, Duration.ofMillis(500)).run(() -> ran.add("call " + number));
        }

        @Job("permit")
        void permit() {
            limiters.concurrent("erp", 1).run(() -> ran.add("in"));
        }

        @Job("hold")
        void hold() throws InterruptedException {
            limiters.concurrent("erp", 1).run(() -> {
                inside.countDown();
                gate.await(30, TimeUnit.SECONDS);
            });
        }

        @Job("hangs")
        void hangs() {
            limiters.concurrent("erp", 1).run(() -> {
                inside.countDown();
                unstuck.acquireUninterruptibly();
            });
            ran.add("ended");
        }

        @Job("taken-back")
        void takenBack(JobContext job) {
            inside.countDown();
            await().atMost(Duration.ofSeconds(30)).until(job::isCancelled);
            throw new OverLimitException("erp", Duration.ofSeconds(1));
        }

        /** Each execution has room for one. */
        @Job("rows")
        Iteration<Integer> rows() {
            AtomicBoolean room = new AtomicBoolean(true);
            return Iteration.over(List.of(1, 2, 3, 4)).each(row -> {
                if (!room.getAndSet(false)) {
                    throw new OverLimitException("erp", Duration.ofMillis(1));
                }
                ran.add("row " + row);
            });
        }

        @Job("unique")
        @Unique(key = "5")
        void unique() {
            throw new OverLimitException("erp", Duration.ofHours(1));
        }
    }

    @BeforeEach
    void makeLimiters() {
        limiters = new StoredLimiters(
                new Store(new JobLimiters(bed.connections()), keepsPermits),
                bed.current,
                JobHooks.none(),
                System::nanoTime,
                new SecureRandom());
        calls = new Calls(limiters);
    }

    @AfterEach
    void closeLimiters() {
        calls.gate.countDown();
        calls.unstuck.release();
        bed.stopEngines();
        limiters.close();
    }

    private Payload scheduled() {
        return bed.only("schedule");
    }

    @Test
    void aJobOverALimitWaitsWithoutAFailure() {
        bed.push("default", payload("over", "j1", "[" + FAR + "]", "\"retry_count\":1", "\"failed_at\":1"));
        double before = Instant.now().toEpochMilli() / 1e3;
        bed.start(calls);
        bed.awaitEnds(1);
        bed.awaitDrained("default");

        Payload waits = scheduled();
        assertThat(waits.get("overrated")).isEqualTo(1L);
        assertThat(waits.get("retry_count")).isEqualTo(1L);
        assertThat(waits.get("error_class")).isNull();
        assertThat(waits.queue()).isEqualTo("default");
        assertThat(waits.has("enqueued_at")).isFalse();
        assertThat(redis.texts().zrangeWithScores("schedule", 0, -1).get(0).getScore())
                .isBetween(before + 3_600, before + 3_960 + 60);
        bed.stopEngines();
        assertThat(bed.ends).singleElement().satisfies(end -> {
            assertThat(end.ending()).isEqualTo(Ending.OVER_LIMIT);
            assertThat(end.failure()).isNull();
        });
        assertThat(bed.errors).isEmpty();
        assertThat(bed.processed()).isEqualTo(1);
        assertThat(bed.failed()).isZero();
    }

    @Test
    void itFailsAfterSoManyTimesAndCountsAnewThen() {
        bed.config = bed.config.with(values -> values.limiters = new LimiterConfig(3, Set.of(), Duration.ofMinutes(1)));
        bed.push("default", payload("over", "j1", "[0.001]"));
        bed.start(calls);
        await().atMost(Duration.ofSeconds(60)).until(() -> redis.texts().zcard("retry") == 1);

        Payload failed = bed.only("retry");
        assertThat(failed.has("overrated")).isFalse();
        assertThat(failed.get("retry_count")).isEqualTo(0L);
        assertThat(failed.get("error_class")).isEqualTo(OverLimitException.class.getName());
        assertThat(calls.attempts).hasValue(4);
        assertThat(bed.errors).hasSize(1);
        redis.texts().del("retry");
        bed.push("default", new String(failed.bytes(), java.nio.charset.StandardCharsets.UTF_8));
        await().atMost(Duration.ofSeconds(60)).until(() -> redis.texts().zcard("retry") == 1);
        assertThat(calls.attempts).hasValue(8);
        assertThat(bed.only("retry").get("retry_count")).isEqualTo(1L);
        bed.stopEngines();
        assertThat(bed.ends)
                .extracting(EngineTestBed.Ended::ending)
                .containsExactly(
                        Ending.OVER_LIMIT,
                        Ending.OVER_LIMIT,
                        Ending.OVER_LIMIT,
                        Ending.RETRIED,
                        Ending.OVER_LIMIT,
                        Ending.OVER_LIMIT,
                        Ending.OVER_LIMIT,
                        Ending.RETRIED);
    }

    @Test
    void anIterableJobThatGetsFurtherIsNeverOverTheLimitTooOften() {
        bed.config = bed.config.with(values -> values.limiters = new LimiterConfig(1, Set.of(), Duration.ofMinutes(1)));
        bed.push("default", payload("rows", "j1", "[]"));
        bed.start(calls);
        await().atMost(Duration.ofSeconds(30)).until(() -> calls.ran.size() == 4);
        bed.awaitDrained("default");
        bed.awaitEnds(4);

        assertThat(calls.ran).containsExactly("row 1", "row 2", "row 3", "row 4");
        assertThat(bed.ends)
                .extracting(EngineTestBed.Ended::ending)
                .containsExactly(Ending.OVER_LIMIT, Ending.OVER_LIMIT, Ending.OVER_LIMIT, Ending.DONE);
    }

    @Test
    void twentyTimesAreTheDefault() {
        bed.push("default", payload("over", "j19", "[" + FAR + "]", "\"overrated\":19"));
        bed.push("default", payload("over", "j20", "[" + FAR + "]", "\"overrated\":20"));
        bed.start(calls);
        bed.awaitEnds(2);
        bed.awaitDrained("default");

        assertThat(scheduled().get("overrated")).isEqualTo(20L);
        assertThat(bed.only("retry").jid()).isEqualTo("j20");
    }

    @Test
    void namedExceptionsAreOverLimitToo() {
        bed.config = bed.config.with(values ->
                values.limiters = new LimiterConfig(20, Set.of(RuntimeException.class.getName()), Duration.ofHours(1)));
        bed.push("default", payload("refused", "j1", "[]"));
        bed.start(calls);
        bed.awaitEnds(1);
        bed.awaitDrained("default");

        assertThat(scheduled().get("overrated")).isEqualTo(1L);
        assertThat(redis.texts().exists("retry")).isZero();
    }

    @Test
    void jobsOfTwoEnginesComeBackUntilAllHaveRun() {
        comeBackUntilAllHaveRun(10);
    }

    @Test
    @LongTest
    void manyJobsOfTwoEnginesComeBackUntilAllHaveRun() {
        long refused = comeBackUntilAllHaveRun(40);

        assertThat(refused).as("executions without room: turns, not attempts").isBetween(10L, 120L);
    }

    /** Returns how many executions found no room. */
    private long comeBackUntilAllHaveRun(int count) {
        for (int i = 0; i < count; i++) {
            bed.push("default", payload("window", "w" + i, "[" + i + "]"));
        }
        bed.start(calls);
        bed.start(calls);

        await().atMost(Duration.ofSeconds(60)).until(() -> calls.ran.size() == count);

        bed.awaitDrained("default");
        assertThat(calls.ran).doesNotHaveDuplicates();
        assertThat(redis.texts().exists("schedule", "retry", "dead")).isZero();
        bed.stopEngines();
        long refused = bed.ends.stream()
                .filter(end -> end.ending() == Ending.OVER_LIMIT)
                .count();
        assertThat(bed.failed()).isZero();
        return refused;
    }

    @Test
    void aCancelledJobIsCancelled() throws Exception {
        bed.push("default", payload("taken-back", "j1", "[]"));
        bed.start(calls);
        assertThat(calls.inside.await(30, TimeUnit.SECONDS)).isTrue();

        client.cancel("j1");

        bed.awaitEnds(1);
        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsExactly(Ending.CANCELLED);
        bed.awaitDrained("default");
        assertThat(redis.texts().exists("schedule")).isZero();
    }

    @Test
    void aJobThatExpiresWhileItWaitsIsNotRunAgain() {
        double expiry = Instant.now().toEpochMilli() / 1e3 + 600;
        bed.push("default", payload("over", "j1", "[" + FAR + "]", "\"expires_in\":600", "\"expiry\":" + expiry));
        JobEngine before = bed.start(calls);
        bed.awaitEnds(1);
        bed.awaitDrained("default");
        before.stop();
        String waits = redis.texts().zrange("schedule", 0, 0).get(0);
        redis.texts().del("schedule");
        redis.texts()
                .zadd("schedule", 1, waits.replaceFirst("\"expiry\":[0-9.E]+", "\"expiry\":1")); // its time has come
        bed.start(calls);
        bed.awaitEnds(2);

        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsExactly(Ending.OVER_LIMIT, Ending.EXPIRED);
        assertThat(calls.attempts).hasValue(1);
    }

    @Test
    void aBatchWaitsForAJobOverALimit() {
        RedisJobClient own = bed.client(shop, calls);
        String id = new dev.jobs.batches.RedisBatches(bed.connections(), own, new SecureRandom())
                .create("calls", batch -> batch.add(JobCall.of(Calls::overOnce, 7)));
        bed.start(JobRegistry.of(shop, calls));

        BatchStatus status = finished(id);

        assertThat(status.succeeded()).isEqualTo(1);
        assertThat(batches.jobs(id, Set.of(BatchJobState.SUCCEEDED), -1, 10).jobs())
                .singleElement()
                .satisfies(job -> assertThat(job.messages()).isEmpty());
        assertThat(calls.ran).containsExactly("done 7");
        own.close();
    }

    @Test
    void aUniqueJobKeepsItsLock() {
        RedisJobClient own = bed.client(calls);
        assertThat(own.enqueue("unique")).isNotNull();
        bed.start(calls);
        bed.awaitEnds(1);
        bed.awaitDrained("default");

        assertThat(own.enqueue("unique")).isNull();
        assertThat(redis.texts().zcard("schedule")).isEqualTo(1);
        own.close();
    }

    @Test
    void aPermitThatCouldNotBeGivenBackEndsWithItsJob() {
        keepsPermits.set(true);
        for (int i = 0; i < 3; i++) {
            bed.push("default", payload("permit", "s" + i, "[]"));
            int count = i + 1;
            if (i == 0) {
                bed.start(calls);
            }
            await().atMost(Duration.ofSeconds(30)).until(() -> calls.ran.size() == count);
            bed.awaitDrained("default");
            assertThat(redis.texts().zcard("jobs:limiter:slots:erp")).isZero();
        }
        assertThat(bed.ends).hasSizeLessThanOrEqualTo(3);
    }

    @LongTest
    @Test
    void aJobsPermitIsHeldAsLongAsItsThreadIsInside() throws Exception {
        bed.config =
                bed.config.with(values -> values.timeouts = new TimeoutConfig(Duration.ofSeconds(2), Duration.ZERO));
        limiters.concurrent("erp", 1).holdAtMost(Duration.ofMinutes(1)).run(() -> {}); // opens the connection
        bed.push("default", payload("hangs", "j1", "[]", "\"retry\":0"));
        bed.start(calls);
        assertThat(calls.inside.await(30, TimeUnit.SECONDS)).isTrue();
        bed.awaitEnds(1); // its thread is abandoned
        bed.awaitDrained("default");

        assertThatThrownBy(() -> limiters.concurrent("erp", 1)
                        .holdAtMost(Duration.ofMinutes(1))
                        .run(() -> {}))
                .isInstanceOf(OverLimitException.class);

        calls.unstuck.release();
        await().atMost(Duration.ofSeconds(30)).until(() -> calls.ran.contains("ended"));
        limiters.concurrent("erp", 1)
                .holdAtMost(Duration.ofMinutes(1))
                .waitAtMost(Duration.ofSeconds(30))
                .run(() -> {});
    }

    @Test
    void aPermitThatAnAbandonedThreadCouldNotGiveBackIsGivenBackLater() throws Exception {
        bed.config =
                bed.config.with(values -> values.timeouts = new TimeoutConfig(Duration.ofMillis(300), Duration.ZERO));
        bed.push("default", payload("hangs", "j1", "[]", "\"retry\":0"));
        bed.start(calls);
        assertThat(calls.inside.await(30, TimeUnit.SECONDS)).isTrue();
        bed.awaitEnds(1); // its thread is abandoned
        bed.awaitDrained("default");
        keepsPermits.set(true);
        calls.unstuck.release();
        await().atMost(Duration.ofSeconds(30)).until(() -> calls.ran.contains("ended"));
        assertThat(redis.texts().zcard("jobs:limiter:slots:erp")).isEqualTo(1);

        keepsPermits.set(false);
        await().atMost(Duration.ofSeconds(30)).until(() -> redis.texts().zcard("jobs:limiter:slots:erp") == 0);
    }

    @Test
    @LongTest
    void thePermitOfAKilledProcessIsFreeOnceItIsGivenUp() throws Exception {
        bed.times(Duration.ofSeconds(1), Duration.ofSeconds(2));
        bed.push("default", payload("HoldPermit", "h1", "[\"h1\"]"));
        try (WorkerProcess worker = WorkerProcess.start(redis.port(), Duration.ofSeconds(2))) {
            await().atMost(Duration.ofSeconds(60)).until(() -> redis.texts().llen("started") == 1);
            assertThatThrownBy(() -> limiters.concurrent("erp", 1)
                            .holdAtMost(Duration.ofMinutes(1))
                            .run(() -> {}))
                    .isInstanceOf(OverLimitException.class);
            worker.kill();
        }
        bed.start(calls); // notices, and recovers a job that it doesn't know

        limiters.concurrent("erp", 1)
                .holdAtMost(Duration.ofMinutes(1))
                .waitAtMost(Duration.ofSeconds(60))
                .run(() -> calls.ran.add("in"));

        assertThat(calls.ran).containsExactly("in");
        await().atMost(Duration.ofSeconds(60)).until(() -> redis.texts().zcard("retry") == 1);
    }

    @Test
    void noJobIsCurrentAfterItHasRun() {
        AtomicBoolean outside = new AtomicBoolean(true);
        bed.listeners.add(new dev.jobs.JobListener() {
            @Override
            public void finished(JobContext job, Ending ending, Duration took, @Nullable Throwable failure) {
                outside.compareAndSet(true, bed.current.get() == null);
            }
        });
        bed.push("default", payload("permit", "s1", "[]"));
        bed.push("default", payload("over", "s2", "[" + FAR + "]"));
        bed.start(calls);
        bed.awaitEnds(2);
        bed.stopEngines();

        assertThat(outside).isTrue();
    }
}
