package dev.jobs.engine;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobErrorHandler;
import dev.jobs.JobListener;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisFixture;
import dev.jobs.threads.ThreadGuard;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever application code does to the threads of an engine, they continue, or the process ends. */
class ThrowingHooksIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private final Jobs jobs = new Jobs();
    private final AtomicInteger ranOutOfMemory = new AtomicInteger();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    @BeforeEach
    void empty() {
        bed.times(Duration.ofMillis(200), Duration.ofSeconds(2));
        outOfMemory(ranOutOfMemory::incrementAndGet);
    }

    @AfterEach
    void close() {
        jobs.release.countDown();
    }

    static final class Jobs {
        final Set<String> ran = ConcurrentHashMap.newKeySet();
        final CountDownLatch release = new CountDownLatch(1);

        @Job("Quick")
        void quick(String id) {
            ran.add(id);
        }

        @Job("Fails")
        void fails(String id) {
            throw new IllegalStateException(id);
        }

        @Job("Buried")
        void buried() throws ExecutionException {
            throw new ExecutionException(new OutOfMemoryError("on another thread"));
        }
    }

    /** Where the application's code is called. */
    enum Call {
        STARTED,
        FINISHED,
        EXCHANGED,
        PROMOTED
    }

    /** Runs the same action on each thread that calls it at one point. */
    private record At(Call call, Runnable what) implements JobListener {

        private void at(Call here) {
            if (call == here) {
                what.run();
            }
        }

        @Override
        public void started(JobContext job) {
            at(Call.STARTED);
        }

        @Override
        public void finished(JobContext job, Ending ending, Duration took, Throwable failure) {
            at(Call.FINISHED);
        }

        @Override
        public void exchanged(int settled, int claimed, Duration took) {
            at(Call.EXCHANGED);
        }

        @Override
        public void promoted(String name, String queue, Duration late) {
            at(Call.PROMOTED);
        }
    }

    private void outOfMemory(Runnable action) {
        EngineEnvironment given = bed.environment;
        bed.environment = new EngineEnvironment(
                given.clock(), given.nanoTime(), given.random(), given.processorThreads(), error -> action.run());
    }

    private void quick(String id) {
        bed.push("default", payload("Quick", "j" + id, "[\"" + id + "\"]"));
    }

    /** Jobs to run now and due ones, each alone, so that idle threads are woken for it. */
    private void runsAll(int count) {
        for (int i = 0; i < count; i++) {
            String now = "now" + i;
            String due = "due" + i;
            quick(now);
            redis.texts()
                    .zadd("schedule", 1, payload("Quick", "j" + due, "[\"" + due + "\"]", "\"queue\":\"default\""));
            await().atMost(PATIENCE).until(() -> jobs.ran.containsAll(List.of(now, due)));
        }
        bed.awaitDrained("default");
        assertThat(bed.processed()).isEqualTo(2L * count);
        assertThat(bed.failed()).isZero();
        assertThat(bed.books().conservationError()).isZero();
    }

    @ParameterizedTest
    @EnumSource(Call.class)
    void anErrorOfAListenerEndsNoThread(Call call) {
        bed.listeners.add(new At(call, () -> {
            throw new Error("of no kind that anybody expects");
        }));
        bed.start(jobs);
        runsAll(15);
    }

    @ParameterizedTest
    @EnumSource(Call.class)
    void aListenerThatInterruptsItsThreadEndsNone(Call call) {
        bed.listeners.add(new At(call, () -> Thread.currentThread().interrupt()));
        bed.start(jobs);
        runsAll(15);
    }

    @Test
    void anInterruptionOfAFetcherIsNoError() {
        LogLines lines = LogLines.of(ThreadGuard.class).open();
        try (lines) {
            bed.start(jobs);
            runsAll(1);
            Thread fetcher = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals("jobs-default-fetcher"))
                    .findAny()
                    .orElseThrow();
            await().atMost(PATIENCE).until(() -> fetcher.getState() == Thread.State.TIMED_WAITING);
            fetcher.interrupt();
            await().atMost(PATIENCE).until(() -> !fetcher.isInterrupted());
            quick("afterwards");
            await().atMost(PATIENCE).until(() -> jobs.ran.contains("afterwards"));
            bed.stopEngines();
        }
        assertThat(lines.events()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Call.class)
    void aListenerThatRunsOutOfMemoryEndsTheProcess(Call call) {
        AtomicBoolean once = new AtomicBoolean();
        bed.listeners.add(new At(call, () -> {
            if (!once.getAndSet(true)) {
                throw new OutOfMemoryError("of a test");
            }
        }));
        bed.start(jobs);
        quick("1");
        redis.texts().zadd("schedule", 1, payload("Quick", "j2", "[\"2\"]", "\"queue\":\"default\""));
        await().atMost(PATIENCE).until(() -> ranOutOfMemory.get() == 1);
    }

    @Test
    void memoryThatRunsOutOnAThreadForWhichAJobWaitsEndsTheProcess() {
        bed.start(jobs);
        bed.push("default", payload("Buried", "j1", "[]"));
        await().atMost(PATIENCE).until(() -> ranOutOfMemory.get() == 1);
    }

    @Test
    void errorsOfPoliciesAndHandlersChangeNothingAboutAFailedJob() {
        bed.policies.add((payload, count, failure) -> {
            throw new Error("no policy");
        });
        JobErrorHandler handler = (failure, context, payload) -> {
            throw new Error("no handler");
        };
        bed.errorHandlers.add(handler);
        bed.start(jobs);
        bed.push("default", payload("Fails", "j1", "[\"1\"]", "\"retry\":5"));
        await().atMost(PATIENCE).until(() -> redis.texts().zcard("retry") == 1);
        assertThat(redis.texts().exists("dead")).isZero();
    }

    @Test
    void aProcessThatLosesAThreadIsNoLongerAliveAndOthersTakeOverItsJobs() {
        bed.config = EngineConfig.of(1, "default");
        bed.times(Duration.ofMillis(200), Duration.ofSeconds(2));
        outOfMemory(() -> {
            throw new Error("it can't even end");
        });
        bed.listeners.add(new At(Call.EXCHANGED, () -> {
            throw new OutOfMemoryError("of a test");
        }));
        JobEngine lame = bed.start(jobs);
        await().atMost(PATIENCE).until(() -> lame.health().sinceBeat() != null);
        quick("1");
        await().atMost(PATIENCE).until(() -> !lame.health().alive());
        quick("2");
        bed.listeners.clear();
        JobEngine sound = bed.start(jobs);
        await().atMost(PATIENCE).until(() -> jobs.ran.containsAll(List.of("1", "2")));
        bed.awaitDrained("default");
        await().atMost(PATIENCE).until(() -> sound.health().alive());
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    void aJobThatIsClaimedWhileAllThreadsAreStillTellingListenersGoesBack() {
        bed.config = EngineConfig.of(2, "default");
        bed.times(Duration.ofMillis(200), Duration.ofSeconds(20));
        CountDownLatch telling = new CountDownLatch(2);
        AtomicInteger told = new AtomicInteger();
        bed.listeners.add(new At(Call.FINISHED, () -> {
            if (told.incrementAndGet() <= 2) {
                telling.countDown();
                awaitRelease();
            }
        }));
        bed.start(jobs);
        quick("1");
        quick("2");
        await().atMost(PATIENCE).until(() -> telling.getCount() == 0);
        quick("3");
        await().during(Duration.ofMillis(500))
                .atMost(PATIENCE)
                .until(() ->
                        redis.texts().llen("queue:default") == 1 && bed.books().inFlight() == 0);
        jobs.release.countDown();
        await().atMost(PATIENCE).until(() -> jobs.ran.contains("3"));
        bed.awaitDrained("default");
    }

    private void awaitRelease() {
        try {
            jobs.release.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
