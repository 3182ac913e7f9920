package dev.jobs.ends;

import static dev.jobs.assembly.EngineTestBed.payload;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobContext;
import dev.jobs.JobFailedException;
import dev.jobs.JobHooks;
import dev.jobs.JobInterruptedException;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobRegistry;
import dev.jobs.admin.JobSet;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.BatchJobState;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.BatchesTestBed;
import dev.jobs.engine.WorkerProcess;
import dev.jobs.iterations.Iteration;
import dev.jobs.processes.Heartbeat;
import dev.jobs.proof.LongTest;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisFixture;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that are cancelled one by one, wherever they are. */
class CancelJobsIT extends BatchesTestBed {

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private final Jobs jobs = new Jobs();

    CancelJobsIT() {
        super(redis);
    }

    static final class Jobs {

        final List<String> ran = new CopyOnWriteArrayList<>();
        final CountDownLatch begun = new CountDownLatch(1);

        @Job("Note")
        void note(String what) {
            ran.add(what + (Thread.interrupted() ? " interrupted" : ""));
        }

        @Job("Looks")
        void looks(String then, JobContext job) {
            begun.countDown();
            await().atMost(Duration.ofSeconds(30)).until(job::isCancelled);
            ran.add("saw it");
            switch (then) {
                case "fails" -> throw new IllegalStateException("half done");
                case "fails for the business" -> throw new JobFailedException("void");
                case "gives up" -> throw new JobInterruptedException("as asked");
                default -> ran.add("went on");
            }
        }

        @Job(value = "Sleeps", interruptible = true)
        void sleeps() throws InterruptedException {
            begun.countDown();
            new CountDownLatch(1).await();
        }

        @Job(value = "Swallows", interruptible = true)
        void swallows(JobContext job) {
            begun.countDown();
            await().atMost(Duration.ofSeconds(30)).until(job::isCancelled);
            while (!Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
            ran.add("left the flag set");
        }

        @Job("Walk")
        Iteration<Integer> walk(int size, JobContext job) {
            return Iteration.over(IntStream.range(0, size).boxed().toList())
                    .each(element -> {
                        if (element == 3) {
                            begun.countDown();
                            await().atMost(Duration.ofSeconds(30)).until(job::isCancelled);
                        }
                        ran.add("element " + element);
                    })
                    .onCancel(() -> ran.add("cancel"))
                    .onComplete(() -> ran.add("complete"));
        }
    }

    private void assertForgotten(String jid) {
        bed.awaitDrained("default");
        assertThat(redis.texts().zrange("jobs:cancelled", 0, -1)).doesNotContain(jid);
        assertThat(redis.texts().exists("it-" + jid)).isZero();
    }

    private void assertEnded(Ending ending) {
        bed.awaitEnds(1);
        assertThat(bed.ends)
                .extracting(EngineTestBed.Ended::jid, EngineTestBed.Ended::ending, EngineTestBed.Ended::failure)
                .containsExactly(tuple("j1", ending, null));
        assertForgotten("j1");
        assertThat(bed.errors).isEmpty();
        assertThat(bed.deaths).isEmpty();
        assertThat(redis.texts().exists("retry", "dead")).isZero();
    }

    @Test
    void aWaitingJobIsNotRun() {
        bed.push("default", payload("Note", "j1", "[\"one\"]"));
        bed.push("default", payload("Note", "j2", "[\"two\"]"));
        client.cancel("j1");
        client.cancel("unknown");
        bed.start(jobs);
        bed.awaitEnds(2);

        assertThat(jobs.ran).containsExactly("two");
        assertThat(bed.ends)
                .extracting(EngineTestBed.Ended::jid, EngineTestBed.Ended::ending)
                .containsExactlyInAnyOrder(tuple("j1", Ending.CANCELLED), tuple("j2", Ending.DONE));
        assertForgotten("j1");
        assertThat(bed.processed()).isEqualTo(1);
        assertThat(redis.texts().zrange("jobs:cancelled", 0, -1)).contains("unknown");
    }

    @Test
    void aWaitingJobIsNotRunIfItIsCancelledWhileTheWorkerIsBusy() {
        bed.config = EngineConfig.of(1, "default");
        bed.start(jobs);
        bed.push("default", payload("Looks", "busy", "[\"returns\"]"));
        await().until(() -> jobs.begun.getCount() == 0);
        bed.push("default", payload("Note", "j1", "[\"one\"]"));
        client.cancel("j1");
        client.cancel("busy");
        bed.beat();
        bed.awaitEnds(2);

        assertThat(jobs.ran).containsExactly("saw it", "went on");
        assertThat(bed.ends)
                .extracting(EngineTestBed.Ended::jid, EngineTestBed.Ended::ending)
                .containsExactly(tuple("busy", Ending.DONE), tuple("j1", Ending.CANCELLED));
    }

    @Test
    void aScheduledJobIsSkippedWhenItIsDue() {
        redis.texts().zadd("schedule", Instant.now().getEpochSecond() + 2, payload("Note", "j1", "[\"one\"]"));
        client.cancel("j1");
        bed.start(jobs);

        assertEnded(Ending.CANCELLED);
        assertThat(jobs.ran).isEmpty();
    }

    @Test
    void aRetryIsSkippedWhenItIsDue() {
        redis.texts()
                .zadd(
                        "retry",
                        Instant.now().getEpochSecond() - 1,
                        payload("Note", "j1", "[\"one\"]", "\"retry_count\":0", "\"failed_at\":1"));
        client.cancel("j1");
        bed.start(jobs);

        assertEnded(Ending.CANCELLED);
        assertThat(jobs.ran).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"fails", "fails for the business", "gives up"})
    void whatARunningJobThrowsAfterItWasCancelledIsNoFailure(String then) throws Exception {
        bed.start(jobs);
        bed.push("default", payload("Looks", "j1", "[\"" + then + "\"]"));
        jobs.begun.await();
        client.cancel("j1");
        bed.beat();

        assertEnded(Ending.CANCELLED);
        assertThat(jobs.ran).containsExactly("saw it");
        assertThat(bed.processed() + bed.failed()).isZero();
    }

    @Test
    void aRunningJobThatReturnsIsDone() throws Exception {
        bed.start(jobs);
        bed.push("default", payload("Looks", "j1", "[\"returns\"]"));
        jobs.begun.await();
        client.cancel("j1");

        assertEnded(Ending.DONE);
        assertThat(jobs.ran).containsExactly("saw it", "went on");
        assertThat(bed.processed()).isEqualTo(1);
    }

    @Test
    void aRunningInterruptibleJobIsInterruptedAndTheNextOneIsNot() throws Exception {
        bed.config = EngineConfig.of(1, "default");
        bed.start(jobs);
        bed.push("default", payload("Sleeps", "j1", "[]"));
        jobs.begun.await();
        client.cancel("j1");
        bed.beat();
        assertEnded(Ending.CANCELLED);

        bed.push("default", payload("Note", "j2", "[\"two\"]"));
        bed.awaitEnds(2);
        assertThat(jobs.ran).containsExactly("two");
    }

    @Test
    void anInterruptFlagThatTheJobLeftStaysWithIt() throws Exception {
        bed.config = EngineConfig.of(1, "default");
        bed.middleware.add((job, next) -> next.proceed());
        bed.start(jobs);
        bed.push("default", payload("Swallows", "j1", "[]"));
        jobs.begun.await();
        client.cancel("j1");
        bed.beat();
        assertEnded(Ending.DONE);

        bed.push("default", payload("Note", "j2", "[\"two\"]"));
        bed.awaitEnds(2);
        assertThat(jobs.ran).containsExactly("left the flag set", "two");
    }

    @Test
    void aRunningIterationEndsBeforeItsNextElement() throws Exception {
        bed.start(jobs);
        bed.push("default", payload("Walk", "j1", "[100]"));
        jobs.begun.await();
        client.cancel("j1");
        bed.beat();

        assertEnded(Ending.DONE);
        assertThat(jobs.ran).containsExactly("element 0", "element 1", "element 2", "element 3", "cancel", "complete");
    }

    @Test
    void aWaitingIterationRunsItsHooks() {
        bed.push("default", payload("Walk", "j1", "[100]"));
        client.cancel("j1");
        bed.start(jobs);

        assertEnded(Ending.DONE);
        assertThat(jobs.ran).containsExactly("cancel", "complete");
    }

    @Test
    void aBatchSaysWhichOfItsJobsWereCancelled() {
        String id = batches.create(
                "sale", batch -> batch.add(JobCall.of(Shop::sell, 1)).add(JobCall.of(Shop::sell, 2)));
        client.cancel(id + "00000000");
        bed.start(shop);

        BatchStatus status = finished(id);

        assertThat(status.skipped()).isEqualTo(1);
        assertThat(status.succeeded()).isEqualTo(1);
        assertThat(batches.jobs(id, Set.of(BatchJobState.SKIPPED), -1, 10).jobs())
                .singleElement()
                .satisfies(job -> {
                    assertThat(job.index()).isZero();
                    assertThat(job.messages()).containsExactly("It was cancelled");
                });
        assertThat(shop.ran).containsExactly("sell 2");
    }

    @Test
    void aJobThatHasEndedStaysAsItIs() {
        bed.start(jobs);
        bed.push("default", payload("Note", "j1", "[\"one\"]"));
        bed.awaitEnds(1);
        client.cancel("j1");
        bed.push("default", payload("Note", "j2", "[\"two\"]"));
        bed.awaitEnds(2);

        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsOnly(Ending.DONE);
    }

    @Test
    void anUnknownJobIsSkipped() {
        bed.push("default", payload("Nowhere", "j1", "[]"));
        client.cancel("j1");
        bed.start(JobRegistry.of());

        assertEnded(Ending.CANCELLED);
    }

    @Test
    @LongTest
    void theJobOfAKilledWorkerIsNotRunAgain() throws Exception {
        bed.times(Duration.ofMillis(200), Duration.ofSeconds(2));
        bed.push("default", payload("Hold", "j1", "[\"1\"]"));
        try (WorkerProcess worker = WorkerProcess.start(redis.port(), Duration.ofSeconds(2))) {
            await().atMost(Duration.ofMinutes(2)).until(() -> redis.texts().llen("started") == 1);
            client.cancel("j1");
            worker.kill();
        }
        bed.start(jobs);

        assertEnded(Ending.CANCELLED);
        assertThat(bed.books().recovered()).isEqualTo(1);
    }

    @Test
    @LongTest
    void aWorkerLearnsOfThousandsAndForgetsThoseThatHaveEnded() {
        bed.start(jobs);
        List<String> jids = IntStream.range(0, 2_500).mapToObj(i -> "c" + i).toList();
        jids.forEach(client::cancel);
        bed.push("default", payload("Looks", "seen", "[\"returns\"]"));
        client.cancel("seen");
        bed.awaitEnds(1);
        jids.forEach(jid -> bed.push("default", payload("Note", jid, "[\"x\"]")));
        bed.awaitEnds(2_501);

        bed.awaitDrained("default");
        assertThat(jobs.ran).containsExactly("saw it", "went on");
        assertThat(redis.texts().zcard("jobs:cancelled")).isEqualTo(1);
    }

    /** Waits until the worker knows of all cancellations. */
    private void awaitHeard() {
        awaitHeard("Looks", "[\"returns\"]");
    }

    private void awaitHeard(String job, String arguments) {
        bed.push("default", payload(job, "seen", arguments));
        client.cancel("seen");
        bed.beat();
        bed.awaitEnds(1);
        bed.ends.clear();
        jobs.ran.clear();
    }

    @Test
    void theNextJobWithTheJidOfACancelledOneRuns() {
        bed.start(jobs);
        client.cancel("nightly");
        awaitHeard();
        bed.push("default", payload("Note", "nightly", "[\"cancelled\"]"));
        bed.awaitEnds(1);
        bed.awaitDrained("default");

        bed.push("default", payload("Note", "nightly", "[\"next\"]"));
        bed.awaitEnds(2);

        assertThat(bed.ends).extracting(EngineTestBed.Ended::ending).containsExactly(Ending.CANCELLED, Ending.DONE);
        assertThat(jobs.ran).containsExactly("next");
    }

    @Test
    void theNextIterationWithTheJidOfACancelledOneRuns() {
        bed.start(jobs);
        client.cancel("nightly");
        awaitHeard();
        bed.push("default", payload("Walk", "nightly", "[2]"));
        bed.awaitEnds(1);
        bed.awaitDrained("default");

        bed.push("default", payload("Walk", "nightly", "[2]"));
        bed.awaitEnds(2);

        assertThat(jobs.ran).containsExactly("cancel", "complete", "element 0", "element 1", "complete");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fails", "is discarded", "fails for the business"})
    void aJobThatEndsBeforeItsCancellationIsHeardTakesTheMarkAlong(String how) {
        bed.middleware.add((job, next) -> {
            client.cancel(job.jid());
            if (how.equals("fails for the business")) {
                throw new JobFailedException("void");
            }
            throw new IllegalStateException("half done");
        });
        bed.start(jobs);
        bed.push(
                "default",
                payload("Note", "j1", "[\"one\"]", how.equals("is discarded") ? "\"retry\":false" : "\"retry\":0"));
        bed.awaitEnds(1);

        assertForgotten("j1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDeadJobThatAPersonRunsAgainIsNotCancelledAnyMore(boolean all) {
        bed.start(jobs);
        String dead = payload("Note", "j1", "[\"one\"]", "\"retry_count\":0", "\"failed_at\":1");
        String walk = payload("Walk", "j2", "[2]", "\"retry_count\":0", "\"failed_at\":1");
        redis.texts().zadd("dead", 1, dead);
        redis.texts().zadd("dead", 2, walk);
        redis.texts().hset("it-j2", Map.of("ex", "1", "c", "1", "rt", "1.5"));
        client.cancel("j1");
        client.cancel("j2");
        awaitHeard();

        try (JobsAdmin admin = new JobsAdmin(
                bed.connections(), new DeadSetBounds(100, Duration.ofDays(1)), JobHooks.none(), Clock.systemUTC())) {
            if (all) {
                admin.sets().all(JobSet.DEAD).run();
            } else {
                admin.sets().runNow(JobSet.DEAD, dead.getBytes(UTF_8));
                admin.sets().runNow(JobSet.DEAD, walk.getBytes(UTF_8));
            }
        }
        bed.awaitEnds(2);

        assertThat(jobs.ran).containsExactlyInAnyOrder("one", "element 1", "complete");
        assertForgotten("j1");
        assertForgotten("j2");
    }

    @Test
    void aDeadJobOfABatchThatIsRetriedIsNotCancelledAnyMore() {
        shop.failuresLeft.put("it", 1);
        String id = batches.create("sale", batch -> batch.add(JobCall.of(Shop::breakDown, "it")));
        bed.start(shop);
        bed.awaitEnds(1);
        bed.awaitDrained("default");
        bed.ends.clear();
        client.cancel(id + "00000000");
        awaitHeard("cancelled", "[]");

        assertThat(batches.retryDead(id)).isEqualTo(1);

        await().until(() -> finished(id).succeeded() == 1);
        assertThat(shop.ran).containsExactly("break it");
    }

    @ParameterizedTest
    @ValueSource(strings = {"processes", "IDENTITY", "IDENTITY:work", "IDENTITY-signals"})
    void aBrokenKeyOfTheProcessRegistryHidesNoCancellation(String key) throws Exception {
        JobEngine engine = bed.start(jobs);
        bed.push("default", payload("Looks", "j1", "[\"returns\"]"));
        jobs.begun.await();
        String broken = key.replace("IDENTITY", engine.health().identity());
        if (!key.endsWith("signals")) {
            bed.beat();
            await().until(() -> redis.texts().exists(broken) == 1);
        }
        try (LogLines lines = LogLines.of(Heartbeat.class).open()) {
            redis.texts().del(broken);
            redis.texts().set(broken, "text");
            client.cancel("j1");
            bed.beat();

            assertEnded(Ending.DONE);
            await().untilAsserted(() -> assertThat(lines.events())
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .anyMatch(line -> line.startsWith("This process can't be shown and receives no signals: A key")));
        }
        assertThat(jobs.ran).containsExactly("saw it", "went on");
    }

    @Test
    void aKeyOfAnotherTypeKeepsNoWorkerFromItsJobs() {
        redis.texts().set("jobs:cancelled", "text");
        bed.push("default", payload("Note", "j1", "[\"one\"]"));
        bed.start(jobs);
        bed.awaitEnds(1);

        assertThat(jobs.ran).containsExactly("one");
    }

    @Test
    void dataThatAreGoneAreForgotten() throws Exception {
        bed.start(jobs);
        client.cancel("j1");
        bed.push("default", payload("Looks", "seen", "[\"returns\"]"));
        client.cancel("seen");
        bed.beat();
        bed.awaitEnds(1);
        bed.awaitDrained("default");
        redis.texts().del("jobs:cancelled");
        client.cancel("other");
        bed.push("default", payload("Looks", "other", "[\"returns\"]"));
        bed.beat();
        bed.awaitEnds(2);
        bed.awaitDrained("default");
        assertThat(redis.texts().zrange("jobs:cancelled", 0, -1)).containsExactly("");
    }
}
