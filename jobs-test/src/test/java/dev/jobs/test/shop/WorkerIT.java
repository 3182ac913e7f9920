package dev.jobs.test.shop;

import static dev.jobs.test.JobsAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobHandle;
import dev.jobs.JobListener;
import dev.jobs.JobResult.State;
import dev.jobs.batches.Batches;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.test.JobsMode;
import dev.jobs.test.JobsTest;
import dev.jobs.test.TestClock;
import dev.jobs.test.TestJobs;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

@JobsTest(mode = JobsMode.WORKER, properties = "jobs.queues=mail,default,low")
@Import(WorkerIT.SlowListener.class)
class WorkerIT {

    @Order(Ordered.HIGHEST_PRECEDENCE)
    static class SlowListener implements JobListener {

        volatile CountDownLatch reached = new CountDownLatch(1);
        volatile CountDownLatch holdsUntil = new CountDownLatch(0);

        @Override
        public void finished(JobContext job, Ending ending, Duration took, @Nullable Throwable failure) {
            reached.countDown();
            try {
                holdsUntil.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Autowired
    private SlowListener listener;

    @Autowired
    private JobClient client;

    @Autowired
    private TestJobs jobs;

    @Autowired
    private TestClock clock;

    @Autowired
    private Emails emails;

    @Autowired
    private Payments payments;

    @BeforeEach
    void reset() {
        emails.sent.clear();
        payments.failures.set(0);
        payments.full = Duration.ofMinutes(10);
        payments.uncharged.clear();
    }

    @Test
    void drainWaitsForAllJobs() {
        client.enqueue(Payments::charge, 7L);

        jobs.drain();

        assertThat(emails.sent).containsExactly("welcome customer of 7 1");
        assertThat(jobs).enqueued(Payments::charge, 7L).isDone();
        assertThat(jobs).enqueued(Payments::remind, 7L).in(Duration.ofDays(30)).hasNotRun();
    }

    /** The worker stores the outcome before it tells listeners, from which assertions know of executions. */
    @Test
    void drainWaitsUntilTheEndIsKnown() throws InterruptedException {
        CountDownLatch held = new CountDownLatch(1);
        listener.reached = new CountDownLatch(1);
        listener.holdsUntil = held;
        client.enqueue(Emails::welcome, "bob", 5);
        listener.reached.await();

        assertThatThrownBy(() -> jobs.drain(Duration.ofMillis(100)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("1 still with the listeners");
        held.countDown();

        jobs.drain();
        assertThat(jobs).enqueued(Emails::welcome, "bob", 5).isDone();
    }

    /** The worker calls it once Redis has stored the death, and so after the end of the job. */
    @Test
    void drainWaitsForTheLastWord() throws InterruptedException {
        CountDownLatch mayEnd = new CountDownLatch(1);
        payments.lastWordBegun = new CountDownLatch(1);
        payments.lastWordMayEnd = mayEnd;
        payments.failures.set(1);
        client.retry(Job.NONE).enqueue(Payments::charge, 7L);
        payments.lastWordBegun.await();

        assertThatThrownBy(() -> jobs.drain(Duration.ofMillis(100)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("1 dead, still with the last words or death handlers");
        mayEnd.countDown();

        jobs.drain();
        assertThat(payments.uncharged).containsExactly("7: the bank does not answer");
    }

    @Test
    void awaitDoneWaitsForOneJob() {
        String jid = client.enqueue(Emails::welcome, "bob", 5);

        jobs.awaitDone(jid);

        assertThat(emails.sent).containsExactly("welcome bob 5");
    }

    @Test
    void awaitDoneFailsAtOnceForAJobThatIsGivenUp() {
        String jid = client.enqueue(Payments::refund, 7L);

        assertThatThrownBy(() -> jobs.awaitDone(jid))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("order 7 is not paid");
    }

    @Test
    void awaitDoneWaitsForAJobThatComesBack() {
        payments.full = Duration.ofMillis(50);
        payments.failures.set(1);
        String jid = client.enqueue(Payments::settle, 7L);

        jobs.awaitDone(jid);

        assertThat(jobs).enqueued(Payments::settle, 7L).isDone().hasRun(2);
    }

    @Test
    void drainNamesTheQueueThatNobodyServes() {
        client.queue("unserved").enqueue(Emails::welcome, "bob", 5);

        assertThatThrownBy(() -> jobs.drain(Duration.ofMillis(100)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("1 in queue unserved");
    }

    @Test
    void threeWeeksOfRetriesPass() {
        payments.failures.set(Integer.MAX_VALUE);
        client.enqueue(Payments::charge, 7L);

        clock.advance(Duration.ofDays(22));

        assertThat(jobs).enqueued(Payments::charge, 7L).isDead().hasRun(26);
        assertThat(payments.uncharged).containsExactly("7: the bank does not answer");
    }

    @Test
    void delayedJobsRunWhenTheirTimeHasCome() {
        Instant start = clock.instant();
        client.in(Duration.ofDays(10)).enqueue(Payments::charge, 7L);

        clock.advance(Duration.ofDays(39));
        assertThat(jobs).enqueued(Payments::remind, 7L).hasNotRun();

        clock.advance(Duration.ofDays(2));
        assertThat(jobs).enqueued(Payments::remind, 7L).isDone();
        assertThat(clock.instant()).isAfterOrEqualTo(start.plus(Duration.ofDays(41)));
    }

    @Test
    void recurringJobsRunAtTheirSlots(@Autowired RecurringJobs recurring) {
        clock.advance(Duration.ofDays(21));

        assertThat(emails.sent).hasSize(21).containsOnly("newsletter");
        assertThat(recurring.history("Emails.newsletter")).hasSize(10);
    }

    @Test
    void batchesFinishAndExpire(@Autowired Batches batches) {
        String id = batches.create("reminders", batch -> batch.add(JobCall.of(Payments::remind, 1L))
                .add(JobCall.of(Payments::remind, 2L))
                .onSuccess(JobCall.of(Emails::welcome, "boss", 2)));
        jobs.drain();
        assertThat(batches.find(id).orElseThrow().succeeded()).isEqualTo(2);
        assertThat(emails.sent).containsExactly("welcome boss 2");

        clock.advance(Duration.ofHours(25));

        assertThat(batches.find(id)).isEmpty();
    }

    @Test
    void aResultIsThereAsFromAWorker() throws Exception {
        JobHandle<Long> handle = client.submit(JobCall.of(Payments::total, 7L), Long.class);

        assertThat(handle.await(Duration.ofSeconds(10)).value()).isEqualTo(14);
        assertThat(client.result(handle.jid(), Long.class).value()).isEqualTo(14);
        assertThat(jobs.log(handle.jid())).containsExactly("adding up order 7");
        assertThat(client.result("other", Long.class).state()).isEqualTo(State.UNKNOWN);
    }
}
