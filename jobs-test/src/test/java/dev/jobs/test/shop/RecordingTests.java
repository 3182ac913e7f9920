package dev.jobs.test.shop;

import static dev.jobs.test.JobsAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.InvalidJobException;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.JobHandle;
import dev.jobs.JobResult.State;
import dev.jobs.batches.Batches;
import dev.jobs.recurring.CronSchedule;
import dev.jobs.recurring.Missed;
import dev.jobs.recurring.Overlap;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.spring.ReactiveJobClient;
import dev.jobs.test.JobsTest;
import dev.jobs.test.TestJobs;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;

@JobsTest
class RecordingTests {

    @Autowired
    private JobClient client;

    @Autowired
    private TestJobs jobs;

    @Autowired
    private Emails emails;

    @Test
    void jobsAreRecordedAndDontRun() {
        emails.sent.clear();

        String jid = client.enqueue(Emails::welcome, "bob", 5);

        assertThat(jobs)
                .enqueued(Emails::welcome, "bob", 5)
                .inQueue("mail")
                .withoutDelay()
                .times(1)
                .hasNotRun();
        assertThat(jobs).enqueued("Emails.welcome", "bob", 5).with("retry", 8L).with("trace", "t1");
        assertThat(jobs).enqueuedNamed("Emails.welcome");
        assertThat(jobs.enqueued()).singleElement().satisfies(job -> {
            assertThat(job.jid()).isEqualTo(jid);
            assertThat(job.arguments()).containsExactly("bob", 5L);
        });
        assertThat(emails.sent).isEmpty();
    }

    @Test
    void theArgumentsOfAnEncryptedJobAreCompared(@Autowired RecurringJobs recurring) {
        client.enqueue(Payments::payOut, "DE02", 7L);

        assertThat(jobs).enqueued(Payments::payOut, "DE02", 7L).times(1);
        assertThat(jobs.enqueued()).singleElement().satisfies(job -> {
            assertThat(job.arguments()).containsExactly("DE02", 7L);
            assertThat(job.payload().has("encrypted")).isTrue();
        });
        assertThatThrownBy(() -> recurring.save(
                        "pay", Recurrence.every(Duration.ofHours(1)), JobCall.of(Payments::payOut, "DE02", 7L)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("arguments are to be encrypted");
    }

    @Test
    void aTestBeginsWithoutJobs() {
        assertThat(jobs).none();
    }

    @Test
    void aDelayIsCompared() {
        client.in(Duration.ofDays(3)).enqueue(Payments::remind, 7L);

        assertThat(jobs).enqueued(Payments::remind, 7L).in(Duration.ofDays(3));
        assertThat(jobs)
                .enqueued(Payments::remind, 7L)
                .at(jobs.clock().instant().plus(Duration.ofDays(3)));
        assertThatThrownBy(() -> assertThat(jobs).enqueued(Payments::remind, 7L).in(Duration.ofDays(2)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("waits for PT48H")
                .hasMessageContaining("Payments.remind(7) in queue low, due at ");
    }

    @Test
    void aDelayedJobIsDueOnceItsTimeHasCome() {
        client.in(Duration.ofDays(3)).enqueue(Payments::remind, 7L);
        assertThatThrownBy(() -> assertThat(jobs).enqueued(Payments::remind, 7L).isDue())
                .isInstanceOf(AssertionError.class);

        jobs.clock().advance(Duration.ofDays(3));

        assertThat(jobs).enqueued(Payments::remind, 7L).isDue().hasNotRun();
    }

    @Test
    void theOrderIsCompared() {
        client.enqueue(Emails::welcome, "bob", 5);
        client.enqueue(Payments::remind, 7L);
        client.enqueue(Emails::welcome, "eve", 1);

        assertThat(jobs)
                .enqueuedInOrder(JobCall.of(Emails::welcome, "bob", 5), JobCall.of(Emails::welcome, "eve", 1))
                .inQueue("low")
                .enqueuedExactly(JobCall.of(Payments::remind, 7L));
        assertThatThrownBy(() -> assertThat(jobs)
                        .enqueuedInOrder(JobCall.of(Emails::welcome, "eve", 1), JobCall.of(Emails::welcome, "bob", 5)))
                .hasMessageContaining(
                        "in this order:%n  Emails.welcome(\"eve\",1)%n  Emails.welcome(\"bob\",5)".formatted());
    }

    @Test
    void aFailureShowsWhatWasEnqueuedInstead() {
        client.enqueue(Emails::welcome, "bob", 4);

        assertThatThrownBy(() -> assertThat(jobs).enqueued(Emails::welcome, "bob", 5))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Expected a job%n  Emails.welcome(\"bob\",5)%n".formatted()
                        + "but the enqueued jobs are:%n  Emails.welcome(\"bob\",4) in queue mail, jid ".formatted());
        assertThatThrownBy(() -> assertThat(jobs).as("after sign-up").none())
                .hasMessageStartingWith("[after sign-up] Expected 0 jobs");
        assertThatThrownBy(() -> assertThat(jobs).inQueue("low").enqueued(Payments::remind, 7L))
                .hasMessageContaining("no job in queue low was enqueued");
        assertThatThrownBy(() -> assertThat(jobs).notEnqueued("Emails.welcome")).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> assertThat(jobs).notEnqueued(JobCall.of(Emails::welcome, "bob", 4)))
                .isInstanceOf(AssertionError.class);
        assertThat(jobs).notEnqueued(JobCall.of(Emails::welcome, "bob", 5)).notEnqueued("Payments.remind");
    }

    @Test
    void theClientChecksArgumentsAsInProduction() {
        assertThatThrownBy(() -> client.enqueue("Emails.welcome", "bob", 5, "more"))
                .isInstanceOf(InvalidJobException.class);
        assertThatThrownBy(() -> client.enqueue("X", Double.NaN)).isInstanceOf(InvalidJobException.class);
        assertThat(jobs).none();
    }

    @Test
    void drainRunsWhatIsDueAndWhatThatEnqueues() {
        client.enqueue(Payments::charge, 7L);

        jobs.drain();

        assertThat(jobs).enqueued(Payments::charge, 7L).isDone();
        assertThat(jobs).enqueued(Emails::welcome, "customer of 7", 1).isDone();
        assertThat(jobs).enqueued(Payments::remind, 7L).in(Duration.ofDays(30)).hasNotRun();

        jobs.clock().advance(Duration.ofDays(30));
        jobs.drain();

        assertThat(jobs).enqueued(Payments::remind, 7L).isDone();
    }

    @Test
    void recurringJobsAreEnqueuedAtEachSlot(@Autowired RecurringJobs recurring) {
        recurring.save("inventory", Recurrence.cron("0 0 * * 0").queue("low"), JobCall.of(Payments::remind, 1L));
        recurring.save("paused", Recurrence.cron("* * * * *"), JobCall.of(Payments::remind, 2L));
        recurring.pause("paused");

        jobs.clock().advance(Duration.ofDays(21));

        assertThat(jobs).enqueued(Emails::newsletter).times(21);
        assertThat(jobs).enqueued(Payments::remind, 1L).inQueue("low").times(3);
        assertThat(jobs).notEnqueued(JobCall.of(Payments::remind, 2L)).hasSize(24);
        assertThat(recurring.history("inventory")).hasSize(3);
        assertThat(recurring.find("inventory").orElseThrow().lastEnqueued()).isNotNull();
    }

    @Test
    void slotsOfAMissedWeekAreMadeUpForAsEachJobSays(@Autowired RecurringJobs recurring) {
        jobs.clock().advanceTo(CronSchedule.parse("0 1 * * *").next(jobs.clock().instant()));
        Recurrence daily = Recurrence.cron("0 2 * * *");
        recurring.save("default", daily, JobCall.of(Payments::remind, 1L));
        recurring.save("skip", daily.missed(Missed.SKIP), JobCall.of(Payments::remind, 2L));
        recurring.save("once", daily.missed(Missed.ONCE), JobCall.of(Payments::remind, 3L));
        recurring.save("all", daily.missed(Missed.ALL), JobCall.of(Payments::remind, 4L));
        recurring.save("some", daily.missed(Missed.ALL).mostMissed(3), JobCall.of(Payments::remind, 5L));
        recurring.save("paused", daily.missed(Missed.ALL), JobCall.of(Payments::remind, 6L));
        recurring.pause("paused");

        jobs.clock().outage(Duration.ofDays(7).plusHours(2));

        assertThat(jobs).notEnqueued(JobCall.of(Payments::remind, 1L));
        assertThat(jobs).notEnqueued(JobCall.of(Payments::remind, 2L));
        assertThat(jobs).enqueued(Payments::remind, 3L).times(1);
        assertThat(jobs).enqueued(Payments::remind, 4L).times(8);
        assertThat(jobs).enqueued(Payments::remind, 5L).times(3);
        assertThat(jobs).notEnqueued(JobCall.of(Payments::remind, 6L));

        jobs.clock().advance(Duration.ofDays(1));

        assertThat(jobs).enqueued(Payments::remind, 1L).times(1);
        assertThat(jobs).enqueued(Payments::remind, 4L).times(9);
    }

    @Test
    void whatBecomesOfSlotsWhileAJobHasNotEnded(@Autowired RecurringJobs recurring) {
        Recurrence hourly = Recurrence.cron("0 * * * *");
        recurring.save("allow", hourly, JobCall.of(Payments::remind, 1L));
        recurring.save("skip", hourly.overlap(Overlap.SKIP), JobCall.of(Payments::remind, 2L));
        recurring.save("queue", hourly.overlap(Overlap.QUEUE), JobCall.of(Payments::remind, 3L));
        Recurrence all = hourly.overlap(Overlap.QUEUE).missed(Missed.ALL);
        recurring.save("all", all, JobCall.of(Payments::remind, 4L));
        recurring.save("cancel", hourly.overlap(Overlap.CANCEL), JobCall.of(Payments::remind, 5L));

        jobs.clock().advance(Duration.ofHours(4));

        assertThat(jobs).enqueued(Payments::remind, 1L).times(4);
        assertThat(jobs).enqueued(Payments::remind, 2L).times(1);
        assertThat(jobs).enqueued(Payments::remind, 3L).times(1);
        assertThat(jobs).enqueued(Payments::remind, 4L).times(1);
        assertThat(jobs).enqueued(Payments::remind, 5L).times(4);

        for (int i = 0; i < 4; i++) {
            jobs.drain();
        }

        assertThat(jobs).enqueued(Payments::remind, 2L).times(1);
        assertThat(jobs).enqueued(Payments::remind, 3L).times(2);
        assertThat(jobs).enqueued(Payments::remind, 4L).times(4);
        jobs.clock().advance(Duration.ofHours(1));
        assertThat(jobs).enqueued(Payments::remind, 2L).times(2);
    }

    @Test
    void slotsThatWaitAreAllFiredByADrain(@Autowired RecurringJobs recurring) {
        jobs.clock().advanceTo(CronSchedule.parse("0 1 * * *").next(jobs.clock().instant()));
        Recurrence all = Recurrence.cron("0 2 * * *").missed(Missed.ALL).overlap(Overlap.QUEUE);
        recurring.save("all", all, JobCall.of(Payments::remind, 4L));

        jobs.clock().outage(Duration.ofDays(7));
        assertThat(jobs).enqueued(Payments::remind, 4L).times(1);
        jobs.drain();

        assertThat(jobs).enqueued(Payments::remind, 4L).times(7).isDone();
    }

    @Test
    void aRunThatAMiddlewareKeepsOutCancelsNone(@Autowired RecurringJobs recurring) {
        Recurrence cancel = Recurrence.cron("@yearly").overlap(Overlap.CANCEL);
        recurring.save("cancel", cancel, JobCall.of(Payments::remind, 1L));
        recurring.runNow("cancel");
        recurring.save("cancel", cancel, JobCall.named("refused"));

        assertThat(recurring.runNow("cancel")).isNull();
        jobs.drain();

        assertThat(jobs).enqueued(Payments::remind, 1L).isDone();
    }

    @Test
    void aDelayBeginsWhenTheJobHasEnded(@Autowired RecurringJobs recurring) {
        recurring.save("delay", Recurrence.delay(Duration.ofMinutes(15)), JobCall.of(Payments::remind, 1L));

        jobs.clock().advance(Duration.ofHours(3).plusMinutes(7));
        assertThat(jobs).enqueued(Payments::remind, 1L).times(1);
        jobs.drain();
        jobs.clock().advance(Duration.ofMinutes(14));
        assertThat(jobs).enqueued(Payments::remind, 1L).times(1);
        jobs.clock().advance(Duration.ofMinutes(1));

        assertThat(jobs).enqueued(Payments::remind, 1L).times(2);
    }

    @Test
    void aFixedRateFiresAtItsMultiples(@Autowired RecurringJobs recurring) {
        recurring.save("rate", Recurrence.every(Duration.ofMinutes(15)), JobCall.of(Payments::remind, 1L));

        jobs.clock().advance(Duration.ofHours(3));

        assertThat(jobs).enqueued(Payments::remind, 1L).times(12);
    }

    @Test
    void savedRecurringJobsAreForgottenAndDeclaredOnesStay(@Autowired RecurringJobs recurring) {
        assertThat(recurring.list()).extracting(job -> job.name()).containsExactly("Emails.newsletter");
    }

    @Test
    void batchesSayThatTheyNeedRedis(@Autowired Batches batches) {
        assertThatThrownBy(() -> batches.create("b", batch -> batch.add(JobCall.of(Payments::remind, 1L))))
                .hasMessageContaining("This test has no Redis, since its jobs are in the mode RECORDING")
                .hasMessageContaining("@JobsTest(mode = JobsMode.WORKER)");
    }

    @Test
    void jobsOfReactiveCodeAreRecordedAsWell(@Autowired ReactiveJobClient reactive) {
        reactive.in(Duration.ofMinutes(5))
                .enqueue(JobCall.of(Payments::remind, 7L))
                .block();

        assertThat(jobs).enqueued(Payments::remind, 7L);
    }

    @Test
    void noWorkerIsStarted(@Autowired ApplicationContext context) {
        assertThat(context.getBeanNamesForType(dev.jobs.assembly.JobEngine.class))
                .isEmpty();
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
