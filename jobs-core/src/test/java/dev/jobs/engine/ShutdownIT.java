package dev.jobs.engine;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobInterruptedException;
import dev.jobs.JobListener.Ending;
import dev.jobs.assembly.EngineHealth;
import dev.jobs.assembly.EngineHealth.State;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.proof.LongTest;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Quiet and stop: nothing is lost, nothing stays in flight, and it ends in time. */
@Tag("sidekiq-14")
class ShutdownIT {

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private EngineTestBed bed;
    private final Jobs jobs = new Jobs();

    @BeforeEach
    void empty() {
        redis.flush();
        bed = new EngineTestBed(redis);
        bed.times(Duration.ofMillis(200), Duration.ofSeconds(20));
    }

    @AfterEach
    void close() {
        jobs.release.countDown();
        bed.close();
    }

    static final class Jobs {
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch release = new CountDownLatch(1);
        final AtomicInteger done = new AtomicInteger();
        final AtomicInteger interrupted = new AtomicInteger();
        final AtomicBoolean wasInRedis = new AtomicBoolean();

        @Job("Waits")
        void waits() throws InterruptedException {
            started.countDown();
            try {
                release.await();
                done.incrementAndGet();
            } catch (InterruptedException e) {
                interrupted.incrementAndGet();
                wasInRedis.set(redis.texts().llen("queue:default") > 0);
                throw e;
            }
        }

        @Job("Stubborn")
        void stubborn() {
            started.countDown();
            boolean released = false;
            while (!released) {
                try {
                    release.await();
                    released = true;
                } catch (InterruptedException e) {
                    interrupted.incrementAndGet();
                }
            }
        }

        @Job("Asks")
        void asks(JobContext job) {
            started.countDown();
            await().atMost(Duration.ofSeconds(20)).until(job::isStopping);
            throw new JobInterruptedException("saved");
        }
    }

    private JobEngine startWith(String payload) throws InterruptedException {
        bed.push("default", payload);
        JobEngine engine = bed.start(jobs);
        assertThat(jobs.started.await(20, TimeUnit.SECONDS)).isTrue();
        return engine;
    }

    private void nothingIsLeftBehind() {
        assertThat(bed.books().inFlight()).isZero();
        assertThat(bed.books().conservationError()).isZero();
        assertThat(redis.texts().keys("jobs:in:*")).isEmpty();
        assertThat(redis.texts().zcard("jobs:beats")).isZero();
        assertThat(redis.texts().smembers("processes")).isEmpty();
        assertThat(redis.texts().keys("*:work")).isEmpty();
        assertThat(redis.texts().exists("dear-leader")).isZero();
    }

    @Test
    void aStartThatFailsLeavesNoThread() throws Exception {
        bed.environment = bed.environment.withProcessorThreads(work -> {
            throw new IllegalStateException("no threads");
        });
        JobEngine engine = bed.engine(jobs);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        ThreadGroup group = new ThreadGroup("a start that fails"); // all threads that it starts are in its group
        Thread starting = new Thread(group, () -> {
            try {
                engine.start();
            } catch (Throwable e) {
                thrown.set(e);
            }
        });
        starting.start();
        starting.join();

        assertThat(thrown.get()).hasMessage("no threads").hasNoSuppressedExceptions();
        Thread[] left = new Thread[100];
        assertThat(Arrays.stream(left).limit(group.enumerate(left)).map(Thread::getName))
                .noneMatch(name -> name.startsWith("jobs-"));
        assertThat(engine.health().state()).isEqualTo(EngineHealth.State.STOPPED);
        nothingIsLeftBehind();
    }

    @Test
    @Tag("sidekiq-0.6")
    @Tag("sidekiq-10")
    void row12WhatRunsAtTheDeadlineIsHandedBackAsItWasAndThenInterrupted() throws Exception {
        String stored = payload("Waits", "j1", "[]", "\"retry\":true", "\"x\":1.0");
        JobEngine engine = startWith(stored);
        engine.stop();
        assertThat(redis.texts().lrange("queue:default", 0, -1)).containsExactly(stored);
        assertThat(jobs.interrupted).hasValue(1);
        assertThat(jobs.wasInRedis)
                .as("back in its queue before it is interrupted")
                .isTrue();
        assertThat(redis.texts().exists("retry", "dead")).as("no failure").isZero();
        assertThat(bed.processed()).isEqualTo(1);
        assertThat(bed.failed()).isEqualTo(1);
        assertThat(bed.errors).isEmpty();
        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsExactly(Ending.HANDED_BACK);
        assertThat(engine.health().state()).isEqualTo(State.STOPPED);
        nothingIsLeftBehind();
    }

    @Test
    @Tag("sidekiq-0.6")
    void aJobThatIsHandedBackIsTakenNext() throws Exception {
        JobEngine engine = startWith(payload("Waits", "j1", "[]"));
        engine.quiet();
        bed.push("default", payload("Waits", "j2", "[]"));
        engine.stop();
        assertThat(redis.texts().lindex("queue:default", -1)).contains("j1");
        assertThat(redis.texts().llen("queue:default")).isEqualTo(2);
    }

    @Test
    void aJobThatEndsBeforeTheDeadlineIsSettledAndNotHandedBack() throws Exception {
        bed.times(Duration.ofSeconds(20), Duration.ofSeconds(20));
        JobEngine engine = startWith(payload("Waits", "j1", "[]"));
        Thread stopping = new Thread(engine::stop);
        stopping.start();
        await().until(() -> engine.health().state() == State.STOPPING);
        jobs.release.countDown();
        stopping.join(20_000);
        assertThat(stopping.isAlive()).isFalse();
        assertThat(jobs.done).hasValue(1);
        assertThat(redis.texts().llen("queue:default")).isZero();
        assertThat(bed.processed()).isEqualTo(1);
        assertThat(bed.failed()).isZero();
        nothingIsLeftBehind();
    }

    @Test
    @LongTest
    void aJobThatIgnoresItsInterruptionIsLeftBehindAndCountsForNothing() throws Exception {
        JobEngine engine = startWith(payload("Stubborn", "j1", "[]"));
        engine.stop();
        assertThat(jobs.interrupted).hasValue(1);
        assertThat(redis.texts().llen("queue:default")).isEqualTo(1);
        nothingIsLeftBehind();
        jobs.release.countDown();
        bed.awaitEnds(1);
        assertThat(redis.texts().llen("queue:default")).isEqualTo(1);
        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsExactly(Ending.HANDED_BACK);
    }

    @Test
    void aJobThatAsksMayStopItself() throws Exception {
        bed.times(Duration.ofSeconds(20), Duration.ofSeconds(20));
        JobEngine engine = startWith(payload("Asks", "j1", "[]"));
        engine.stop();
        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsExactly(Ending.INTERRUPTED);
        assertThat(redis.texts().llen("queue:default")).isEqualTo(1);
        nothingIsLeftBehind();
    }

    @Test
    void aQuietEngineTakesNothingFinishesWhatRunsAndCanOnlyBeStopped() throws Exception {
        JobEngine engine = startWith(payload("Waits", "j1", "[]"));
        engine.quiet();
        engine.quiet();
        engine.start();
        assertThat(engine.health().state()).isEqualTo(State.QUIET);
        bed.push("default", payload("Waits", "j2", "[]"));
        jobs.release.countDown();
        await().until(() -> bed.books().acked() == 1);
        await().until(() -> {
            return redis.texts().smembers("processes").stream()
                    .anyMatch(identity -> "true".equals(redis.texts().hget(identity, "quiet")));
        });
        assertThat(redis.texts().llen("queue:default")).isEqualTo(1);
        engine.stop();
        engine.start();
        bed.awaitDrained("default");
        assertThat(jobs.done).hasValue(2);
    }

    @Test
    void twoCapsulesOnOneQueueHandBackEachJobOnce() throws Exception {
        bed.capsules(
                CapsuleConfig.of("default", 5, List.of("default")), CapsuleConfig.of("other", 5, List.of("default")));
        for (int i = 0; i < 30; i++) {
            bed.push("default", payload("Waits", "j" + i, "[]"));
        }
        JobEngine engine = bed.start(jobs);
        await().until(() -> engine.health().busy() == 10);
        engine.stop();
        assertThat(redis.texts().lrange("queue:default", 0, -1)).hasSize(30).doesNotHaveDuplicates();
        nothingIsLeftBehind();
    }

    @Test
    @LongTest
    void stopEndsInTimeWhileRedisIsFrozenAndOthersRecoverWhatItHeld() throws Exception {
        bed.close();
        bed = new EngineTestBed(redis, Duration.ofSeconds(1));
        bed.times(Duration.ofMillis(200), Duration.ofSeconds(3));
        JobEngine engine = startWith(payload("Waits", "j1", "[]"));
        signal("-STOP");
        try {
            Thread stopping = new Thread(engine::stop);
            stopping.start();
            stopping.join(40_000);
            assertThat(stopping.isAlive()).isFalse();
        } finally {
            signal("-CONT");
        }
        jobs.release.countDown();
        bed.start(jobs);
        bed.awaitDrained("default");
        await().atMost(Duration.ofSeconds(30)).until(() -> jobs.done.get() >= 1);
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    @LongTest
    void manyCapsulesTakeNoLongerToStopThanOneWhileRedisIsFrozen() throws Exception {
        bed.close();
        bed = new EngineTestBed(redis, Duration.ofMinutes(2));
        bed.times(Duration.ofMillis(200), Duration.ofSeconds(20));
        List<CapsuleConfig> capsules = IntStream.range(0, 60)
                .mapToObj(i -> CapsuleConfig.of("c" + i, 1, List.of("q" + i)))
                .toList();
        capsules.forEach(capsule -> bed.push(capsule.queues().get(0), payload("Waits", capsule.name(), "[]")));
        bed.capsules(capsules.toArray(CapsuleConfig[]::new));
        JobEngine engine = bed.start(jobs);
        await().atMost(Duration.ofSeconds(30)).until(() -> engine.health().busy() == 60);
        Thread stopping = new Thread(engine::stop);
        signal("-STOP");
        try {
            stopping.start();
            stopping.join(40_000); // a second for each capsule would be more
            assertThat(stopping.isAlive()).isFalse();
        } finally {
            signal("-CONT");
        }
    }

    private static void signal(String signal) throws Exception {
        new ProcessBuilder("kill", signal, Long.toString(redis.pid())).start().waitFor();
    }

    @Test
    void startAndStopFromManyThreadsLeaveNoThreadAndNoProcess() throws Exception {
        Set<Thread> ofEarlierTests = Thread.getAllStackTraces().keySet();
        JobEngine engine = bed.engine(jobs);
        Runnable churn = () -> {
            for (int i = 0; i < 5; i++) {
                engine.start();
                engine.quiet();
                engine.stop();
            }
        };
        List<Thread> threads = List.of(new Thread(churn), new Thread(churn), new Thread(churn));
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join(60_000);
        }
        engine.stop();
        engine.stop();
        assertThat(engine.health().state()).isEqualTo(State.STOPPED);
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> !ofEarlierTests.contains(thread))
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("jobs-"));
        nothingIsLeftBehind();
    }
}
