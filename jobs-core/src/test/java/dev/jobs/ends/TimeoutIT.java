package dev.jobs.ends;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobContext;
import dev.jobs.JobFailedException;
import dev.jobs.JobInterruptedException;
import dev.jobs.JobListener;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.batches.BatchJobState;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.BatchesTestBed;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.CapsuleWork;
import dev.jobs.iterations.Iteration;
import dev.jobs.proof.LongTest;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that take longer than their timeout. */
class TimeoutIT extends BatchesTestBed {

    private static final String SHORT = "\"timeout\":0.3";

    /** A grace for jobs that don't end in it; for others it is so long that they do on a slow machine. */
    private static final Duration SHORTLY = Duration.ofMillis(300);

    private static final String LONG = "\"timeout\":3600";

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private final Jobs jobs = new Jobs();

    TimeoutIT() {
        super(redis);
    }

    enum Threads {
        PLATFORM,
        VIRTUAL;

        ThreadFactory factory() throws Exception {
            if (this == PLATFORM) {
                return Thread::new;
            }
            assumeTrue(Runtime.version().feature() >= 21, "virtual threads need Java 21");
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (ThreadFactory) Class.forName("java.lang.Thread$Builder")
                    .getMethod("factory")
                    .invoke(builder);
        }
    }

    static final class Jobs {

        final List<String> seen = new CopyOnWriteArrayList<>();
        final AtomicInteger hung = new AtomicInteger();
        final Semaphore gate = new Semaphore(0);
        final CountDownLatch late = new CountDownLatch(1);

        private void note(String what) {
            seen.add(what + (Thread.interrupted() ? " interrupted" : ""));
        }

        @Job("Quick")
        void quick(String what, JobContext job) {
            note(what + job.remaining().map(left -> " has time").orElse(" has no limit"));
        }

        @Job(value = "Polls", retry = 3)
        void polls(String then, JobContext job) {
            await().atMost(Duration.ofSeconds(30)).until(job::isCancelled);
            while (!Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
            assertThat(job.remaining()).contains(Duration.ZERO);
            assertThat(job.holdsLease()).isTrue();
            seen.add("told to end");
            switch (then) {
                case "fails" -> throw new IllegalStateException("half done");
                case "fails for the business" -> throw new JobFailedException("void");
                case "gives up" -> throw new JobInterruptedException("later");
                default -> seen.add("finished");
            }
        }

        @Job(value = "Sleeps", retry = 3)
        void sleeps() throws InterruptedException {
            new CountDownLatch(1).await();
        }

        @Job(value = "Hangs", retry = 3)
        void hangs(String then, JobContext job) {
            hung.incrementAndGet();
            gate.acquireUninterruptibly();
            gate.release();
            note(then + (job.isCancelled() ? ", cancelled" : "") + (job.holdsLease() ? "" : ", without a lease"));
            late.countDown();
            if (then.equals("fails late")) {
                throw new IllegalStateException("late");
            }
        }

        @Job(value = "Dies", timeout = "1s", timeoutRetry = false)
        void dies() throws InterruptedException {
            new CountDownLatch(1).await();
        }

        @Job(value = "Limited", timeout = "1h")
        void limited(String what, JobContext job) {
            boolean more = job.remaining().orElseThrow().compareTo(Duration.ofHours(1)) > 0;
            seen.add(what + (more ? " has more" : " has its hour"));
        }

        @Job("Walk")
        Iteration<Integer> walk(int size, JobContext job) {
            return Iteration.over(IntStream.range(0, size).boxed().toList()).each(element -> {
                if (element == 3) {
                    await().atMost(Duration.ofSeconds(30)).until(job::isCancelled);
                }
                note("element " + element);
            });
        }

        @Job(value = "Races", retry = 3)
        void races(int micros, JobContext job) {
            if (Thread.interrupted() && !job.isCancelled()) { // else its own time was over before it began
                seen.add("an interrupt that was meant for another job");
            }
            long end = System.nanoTime() + micros * 1_000L;
            while (System.nanoTime() - end < 0) {
                Thread.onSpinWait();
            }
        }
    }

    @BeforeEach
    void oneAtATime() {
        bed.config = EngineConfig.of(1, "default");
        grace(Duration.ofSeconds(30));
    }

    private void grace(Duration grace) {
        bed.config = bed.config.with(values -> values.timeouts = new TimeoutConfig(null, grace));
    }

    private void on(Threads threads) throws Exception {
        bed.environment = bed.environment.withProcessorThreads(threads.factory());
    }

    /** The only end, with a timeout as its failure. */
    private JobTimeoutException timedOut(Ending ending) {
        bed.awaitEnds(1);
        assertThat(bed.ends)
                .extracting(EngineTestBed.Ended::jid, EngineTestBed.Ended::ending)
                .containsExactly(tuple("j1", ending));
        assertThat(bed.errors).hasSize(1);
        bed.awaitDrained("default");
        return (JobTimeoutException) bed.ends.get(0).failure();
    }

    private void assertTheNextJobRuns() {
        int before = bed.ends.size();
        bed.push("default", payload("Quick", "next", "[\"next\"]"));
        bed.awaitEnds(before + 1);
        assertThat(jobs.seen).contains("next has no limit");
    }

    private static long watchers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("jobs-timeouts"))
                .count();
    }

    @Test
    void noThreadWatchesUntilAJobHasATimeout() {
        bed.start(jobs);
        assertTheNextJobRuns();
        assertThat(watchers()).isZero();

        bed.push("default", payload("Quick", "j1", "[\"timed\"]", "\"timeout\":60"));
        bed.awaitEnds(2);
        assertThat(watchers()).isEqualTo(1);

        bed.push("default", payload("Quick", "j2", "[\"timed\"]", "\"timeout\":60"));
        bed.awaitEnds(3);
        assertThat(watchers()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void aJobThatIsToldToEndFails(Threads threads) throws Exception {
        on(threads);
        bed.start(jobs);
        bed.push("default", payload("Polls", "j1", "[\"fails\"]", SHORT));

        JobTimeoutException failure = timedOut(Ending.RETRIED);
        assertThat(failure)
                .hasMessage("It took longer than its timeout of 0.3 s")
                .hasRootCauseMessage("half done");
        assertThat(failure.timeout()).isEqualTo(Duration.ofMillis(300));
        Payload waiting = bed.only("retry");
        assertThat(waiting.text("error_class")).isEqualTo(JobTimeoutException.class.getName());
        assertThat(waiting.integer("retry_count")).isZero();
        assertThat(jobs.seen).containsExactly("told to end");
        assertTheNextJobRuns();
    }

    @ParameterizedTest
    @ValueSource(strings = {"fails for the business", "gives up"})
    void whateverItThrowsIsATimeout(String then) {
        bed.start(jobs);
        bed.push("default", payload("Polls", "j1", "[\"" + then + "\"]", SHORT));

        assertThat(timedOut(Ending.RETRIED)).hasCauseInstanceOf(RuntimeException.class);
        assertThat(redis.texts().zcard("retry")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void aJobThatWaitsIsInterruptedAndTheFailureShowsWhereItWas(Threads threads) throws Exception {
        on(threads);
        bed.start(jobs);
        bed.push("default", payload("Sleeps", "j1", "[]", SHORT, "\"backtrace\":50"));

        JobTimeoutException failure = timedOut(Ending.RETRIED);
        assertThat(failure).hasCauseInstanceOf(InterruptedException.class);
        assertThat(failure.getStackTrace())
                .anySatisfy(frame -> assertThat(frame.getMethodName()).isEqualTo("sleeps"));
        assertThat(bed.only("retry").has("error_backtrace")).isTrue();
        assertTheNextJobRuns();
    }

    @Test
    void aJobThatFinishesInTheGraceIsDone() {
        bed.start(jobs);
        bed.push("default", payload("Polls", "j1", "[\"returns\"]", SHORT));
        bed.awaitEnds(1);

        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsExactly(Ending.DONE);
        assertThat(jobs.seen).containsExactly("told to end", "finished");
        assertThat(bed.errors).isEmpty();
        assertTheNextJobRuns();
    }

    @Test
    @LongTest
    void aThreadIsReplacedEvenIfAnotherProcessHasTheJob() {
        grace(SHORTLY);
        bed.times(Duration.ofSeconds(1), Duration.ofSeconds(2)); // so that the next beat is soon
        JobEngine engine = bed.start(jobs);
        bed.push("default", payload("Hangs", "j1", "[\"late\"]", "\"timeout\":5"));
        await().until(() -> jobs.hung.get() == 1);
        String before = engine.health().identity();
        redis.texts().zadd("jobs:beats", -1, before); // given up, as after a pause of the process
        await().atMost(Duration.ofSeconds(20))
                .until(() -> !engine.health().identity().equals(before));

        bed.push("default", payload("Quick", "next", "[\"next\"]"));
        await().atMost(Duration.ofSeconds(30)).until(() -> jobs.seen.contains("next has no limit"));
        assertThat(bed.ends)
                .filteredOn(end -> end.jid().equals("j1"))
                .extracting(EngineTestBed.Ended::ending)
                .contains(Ending.LOST);
        assertThat(engine.health().abandoned()).isPositive();

        jobs.gate.release();
        await().atMost(Duration.ofSeconds(20)).until(() -> engine.health().abandoned() == 0);
        assertThat(bed.books().conservationError()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aJobThatGoesOnIsGivenUpAndItsThreadReplaced(Threads threads) throws Exception {
        grace(SHORTLY);
        on(threads);
        JobEngine engine = bed.start(jobs);
        bed.push("default", payload("Hangs", "j1", "[\"late\"]", SHORT));

        JobTimeoutException failure = timedOut(Ending.RETRIED);
        assertThat(failure)
                .hasNoCause()
                .hasMessage("It took longer than its timeout of 0.3 s and did not end in the 0.3 s after it");
        assertThat(failure.getStackTrace())
                .anySatisfy(frame -> assertThat(frame.getMethodName()).isEqualTo("hangs"));
        assertThat(engine.health().abandoned()).isEqualTo(1);
        assertTheNextJobRuns();

        jobs.gate.release();
        jobs.late.await();
        await().until(() -> engine.health().abandoned() == 0);
        assertThat(jobs.seen).contains("late, cancelled, without a lease interrupted");
        assertTheNextJobRuns();
        assertThat(bed.ends)
                .extracting(EngineTestBed.Ended::ending)
                .containsExactly(Ending.RETRIED, Ending.DONE, Ending.DONE);
        await().untilAsserted(() -> assertThat(engine.work())
                .extracting(CapsuleWork::taken, CapsuleWork::running)
                .containsExactly(tuple(3L, 0L)));
        bed.awaitDrained("default");
        assertThat(bed.processed()).isEqualTo(3);
        assertThat(bed.failed()).isEqualTo(1);
        assertThat(redis.texts().zcard("retry")).isEqualTo(1);
    }

    @Test
    void listenersHearOnTheNewThreadThatAJobIsGivenUpAndThenThatItEnded() {
        grace(SHORTLY);
        List<String> heard = new CopyOnWriteArrayList<>();
        List<Thread> threads = new CopyOnWriteArrayList<>();
        bed.listeners.add(new JobListener() {
            @Override
            public void started(JobContext job) {
                hear("started");
            }

            @Override
            public void abandoned(JobContext job) {
                hear("abandoned");
            }

            @Override
            public void finished(JobContext job, Ending ending, Duration took, @Nullable Throwable failure) {
                hear("finished");
            }

            private void hear(String event) {
                heard.add(event);
                threads.add(Thread.currentThread());
            }
        });
        bed.errorHandlers.add((failure, context, payload) -> heard.add("failed"));
        bed.start(jobs);
        bed.push("default", payload("Hangs", "j1", "[\"late\"]", SHORT));
        bed.awaitEnds(1);
        jobs.gate.release();

        assertThat(heard).containsExactly("started", "abandoned", "failed", "finished");
        assertThat(threads.get(1)).isSameAs(threads.get(2)).isNotSameAs(threads.get(0));
    }

    @Test
    void whatAnAbandonedThreadThrowsHasNoEffect() throws Exception {
        grace(SHORTLY);
        JobEngine engine = bed.start(jobs);
        bed.push("default", payload("Hangs", "j1", "[\"fails late\"]", SHORT, "\"retry\":0"));
        timedOut(Ending.DEAD);
        await().until(() -> bed.deaths.size() == 1);

        jobs.gate.release();
        jobs.late.await();
        await().until(() -> engine.health().abandoned() == 0);
        bed.stopEngines();

        assertThat(bed.ends).hasSize(1);
        assertThat(bed.errors).hasSize(1);
        assertThat(bed.deaths).singleElement().satisfies(death -> assertThat(death.failure())
                .isInstanceOf(JobTimeoutException.class));
        assertThat(redis.texts().zcard("dead")).isEqualTo(1);
        assertThat(bed.failed()).isEqualTo(1);
    }

    @Test
    void concurrencyIsKeptHoweverManyAreAbandoned() {
        grace(SHORTLY);
        bed.config = bed.config.with(
                values -> values.capsules = List.of(CapsuleConfig.of("default", 3, List.of("default"))));
        JobEngine engine = bed.start(jobs);
        for (int i = 0; i < 7; i++) {
            bed.push("default", payload("Hangs", "h" + i, "[\"late\"]", SHORT));
        }
        bed.awaitEnds(7);

        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsOnly(Ending.RETRIED);
        assertThat(engine.health().abandoned()).isEqualTo(7);
        assertThat(engine.health().concurrency()).isEqualTo(3);
        assertTheNextJobRuns();
        jobs.gate.release();
        await().until(() -> engine.health().abandoned() == 0);
    }

    @Test
    void aTimeoutThatMayNotBeRetriedIsADeath() {
        bed.start(jobs);
        bed.push("default", payload("Dies", "j1", "[]"));

        timedOut(Ending.DEAD);
        assertThat(bed.only("dead").text("error_class")).isEqualTo(JobTimeoutException.class.getName());
    }

    @Test
    void thePayloadSaysWhetherATimeoutIsRetried() {
        bed.start(jobs);
        bed.push("default", payload("Dies", "j1", "[]", SHORT, "\"timeout_retry\":true"));

        timedOut(Ending.RETRIED);
    }

    @Test
    void theWorkersTimeoutIsForJobsWithoutOne() {
        bed.config = bed.config.with(
                values -> values.timeouts = new TimeoutConfig(Duration.ofMillis(300), Duration.ofSeconds(10)));
        bed.start(jobs);
        bed.push("default", payload("Sleeps", "j1", "[]"));
        timedOut(Ending.RETRIED);
        bed.push("default", payload("Quick", "j2", "[\"own\"]", LONG));
        bed.awaitEnds(2);

        assertThat(jobs.seen).containsExactly("own has time");
    }

    @Test
    void theTimeoutOfACallPrecedesThatOfTheMethod() {
        bed.start(jobs);
        bed.push("default", payload("Limited", "j1", "[\"own\"]", "\"timeout\":7200"));
        bed.push("default", payload("Limited", "j2", "[\"none\"]"));
        bed.awaitEnds(2);

        assertThat(jobs.seen).containsExactly("own has more", "none has its hour");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"soon\"", "null", "-1", "0", "[1]", "1e999"})
    void aJobWithoutAUsableTimeoutRuns(String timeout) {
        bed.start(jobs);
        bed.push("default", payload("Quick", "j1", "[\"odd\"]", "\"timeout\":" + timeout));
        bed.awaitEnds(1);

        assertThat(jobs.seen).containsExactly("odd has no limit");
    }

    @Test
    void listenersHearOnceOfASlowJob() {
        List<String> slow = new CopyOnWriteArrayList<>();
        bed.listeners.add(new JobListener() {
            @Override
            public void slow(JobContext job, List<StackTraceElement> stack) {
                assertThat(job.isCancelled()).isFalse();
                slow.add(job.jid() + " in "
                        + stack.stream()
                                .map(StackTraceElement::getMethodName)
                                .filter("sleeps"::equals)
                                .toList());
                throw new IllegalStateException("a listener that fails");
            }
        });
        bed.start(jobs);
        bed.push("default", payload("Sleeps", "j1", "[]", "\"timeout\":1.5"));

        timedOut(Ending.RETRIED);
        assertThat(slow).containsExactly("j1 in [sleeps]");
    }

    @Test
    void aStopInTheGraceHandsTheJobBack() {
        grace(Duration.ofMinutes(10));
        bed.times(Duration.ofMillis(100), Duration.ofSeconds(20));
        JobEngine engine = bed.start(jobs);
        bed.push("default", payload("Hangs", "j1", "[\"late\"]", SHORT));
        await().until(() -> engine.health().busy() == 1);
        Thread release = new Thread(() -> {
            await().atMost(Duration.ofSeconds(30)).until(() -> redis.texts().llen("queue:default") == 1);
            jobs.gate.release();
        });
        release.start();
        engine.stop();

        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsExactly(Ending.HANDED_BACK);
        assertThat(redis.texts().lrange("queue:default", 0, -1))
                .containsExactly(payload("Hangs", "j1", "[\"late\"]", SHORT));
        assertThat(redis.texts().exists("retry", "dead")).isZero();
        assertThat(bed.errors).isEmpty();
    }

    @Test
    @LongTest
    void aCancelledJobThatHangsIsNotRetried() {
        grace(SHORTLY);
        JobEngine engine = bed.start(jobs);
        bed.push("default", payload("Hangs", "j1", "[\"late\"]", "\"timeout\":5"));
        await().until(() -> engine.health().busy() == 1);
        client.cancel("j1");
        bed.awaitEnds(1);
        bed.awaitDrained("default");

        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsExactly(Ending.CANCELLED);
        assertThat(bed.errors).isEmpty();
        assertThat(redis.texts().exists("retry", "dead", "it-j1")).isZero();
        jobs.gate.release();
        await().until(() -> engine.health().abandoned() == 0);
    }

    @Test
    @LongTest
    void anIterationLeavesAndIsResumedWhereItWas() {
        bed.start(jobs);
        bed.push("default", payload("Walk", "j1", "[100]", "\"timeout\":3"));

        assertThat(timedOut(Ending.RETRIED)).hasCauseInstanceOf(JobInterruptedException.class);
        assertThat(redis.texts().hget("it-j1", "c")).isEqualTo("4");
    }

    @Test
    void aBatchCountsATimeoutAsAFailure() {
        String id = batches.create("sale", batch -> batch.add(JobCall.named("Dies"))
                .add(JobCall.named("Quick", "x").timeout(Duration.ofMinutes(1))));
        bed.start(jobs);

        BatchStatus status = finishedWithDead(id);

        assertThat(status.dead()).isEqualTo(1);
        assertThat(status.succeeded()).isEqualTo(1);
        assertThat(batches.jobs(id, Set.of(BatchJobState.DEAD), -1, 10).jobs())
                .singleElement()
                .satisfies(job -> assertThat(job.messages()).anySatisfy(message -> assertThat(message)
                        .contains("JobTimeoutException: It took longer than its timeout of 1 s")));
    }

    private BatchStatus finishedWithDead(String id) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> batches.find(id).orElseThrow().dead()
                                + batches.find(id).orElseThrow().succeeded()
                        == 2);
        return batches.find(id).orElseThrow();
    }

    @ParameterizedTest
    @EnumSource
    void jobsThatEndWhenTheirTimeDoesEndOnce(Threads threads) throws Exception {
        on(threads);
        bed.config = EngineConfig.of(4, "default")
                .with(values -> values.timeouts = new TimeoutConfig(null, Duration.ofMillis(1)));
        JobEngine engine = bed.start(jobs);
        int count = 400;
        for (int i = 0; i < count; i++) {
            int micros = 8_000 + i * (i < 300 ? 10 : 50); // the last ones by far, however late a busy machine looks
            bed.push("default", payload("Races", "r" + i, "[" + micros + "]", "\"timeout\":0.01"));
        }
        bed.awaitEnds(count);
        bed.awaitDrained("default");
        await().until(() -> engine.health().abandoned() == 0);

        assertThat(jobs.seen).isEmpty();
        assertThat(bed.ends).extracting(EngineTestBed.Ended::jid).doesNotHaveDuplicates();
        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsOnly(Ending.DONE, Ending.RETRIED);
        long retried =
                bed.ends.stream().filter(end -> end.ending() == Ending.RETRIED).count();
        assertThat(redis.texts().zcard("retry")).isEqualTo(retried);
        assertThat(bed.processed()).isEqualTo(count);
        assertThat(bed.failed()).isEqualTo(retried);
    }

    @Test
    void unknownJobsHaveNoTimeout() {
        bed.config = bed.config.with(values -> values.unknownJobWait = Duration.ZERO);
        bed.start(JobRegistry.of());
        bed.push("default", payload("Nowhere", "j1", "[]", SHORT));
        bed.awaitEnds(1);

        assertThat(bed.ends.get(0).failure()).isNotInstanceOf(JobTimeoutException.class);
    }
}
