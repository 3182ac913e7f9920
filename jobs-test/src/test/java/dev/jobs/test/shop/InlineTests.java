package dev.jobs.test.shop;

import static dev.jobs.test.JobsAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.InvalidJobException;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.JobFailedException;
import dev.jobs.JobHandle;
import dev.jobs.JobResult.State;
import dev.jobs.recurring.CronSchedule;
import dev.jobs.recurring.Missed;
import dev.jobs.recurring.Overlap;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.test.JobRunException;
import dev.jobs.test.JobsMode;
import dev.jobs.test.JobsTest;
import dev.jobs.test.TestClock;
import dev.jobs.test.TestJobs;
import dev.jobs.test.shop.Emails.Receipt;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@JobsTest(mode = JobsMode.INLINE)
class InlineTests {

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
        payments.uncharged.clear();
    }

    @Test
    void anEncryptedJobRunsWithAKeyThatTheTestMakes() {
        client.enqueue(Payments::payOut, "DE02", 7L);

        assertThat(payments.uncharged).containsExactly("paid out 7 to DE02");
    }

    @Test
    void jobsRunAtOnceWithArgumentsThatWentThroughJson() {
        Receipt receipt = new Receipt(7, new BigDecimal("19.90"), Instant.parse("2026-05-01T08:00:00Z"));

        client.enqueue(Emails::receipt, receipt);

        assertThat(emails.sent).singleElement().isEqualTo(receipt).isNotSameAs(receipt);
        assertThat(jobs).enqueued(Emails::receipt, receipt).isDone().hasRun(1);
    }

    @Test
    void middlewareOfBothSidesIsCalled(@Autowired Traces traces) {
        traces.seen.clear();

        client.enqueue(Emails::welcome, "bob", 5);

        assertThat(traces.seen).containsExactly("Emails.welcome t1");
        assertThat(client.enqueue("refused")).isNull();
    }

    @Test
    void jobsThatAJobEnqueuesRunAfterIt() {
        client.enqueue(Payments::charge, 7L);

        assertThat(emails.sent).containsExactly("welcome customer of 7 1");
        assertThat(jobs).enqueued(Payments::remind, 7L).in(Duration.ofDays(30)).hasNotRun();
    }

    @Test
    void aFailureReachesTheCaller() {
        payments.failures.set(1);

        assertThatThrownBy(() -> client.enqueue(Payments::charge, 7L))
                .isInstanceOf(JobRunException.class)
                .hasMessageMatching(
                        "(?s)Job charge-card \\(jid \\w{24}\\) failed and is retried at \\S+: .*does not answer")
                .hasCauseInstanceOf(IOException.class);
        assertThat(jobs).enqueued(Payments::charge, 7L).isWaitingForRetry().failedWith(IOException.class);

        clock.advance(Duration.ofSeconds(26));

        assertThat(jobs).enqueued(Payments::charge, 7L).isDone().hasRun(2);
        assertThat(emails.sent).containsOnlyOnce("welcome customer of 7 2");
    }

    @Test
    void threeWeeksOfRetriesTakeMilliseconds() {
        payments.failures.set(Integer.MAX_VALUE);
        assertThatThrownBy(() -> client.enqueue(Payments::charge, 7L)).isInstanceOf(JobRunException.class);

        clock.advance(Duration.ofDays(22));

        assertThat(jobs).enqueued(Payments::charge, 7L).isDead().hasRun(26);
        assertThat(payments.uncharged).containsExactly("7: the bank does not answer");
    }

    @Test
    void aJobOverALimitComesBackAndIsNoFailure() {
        payments.failures.set(2);

        client.enqueue(Payments::settle, 7L);

        assertThat(jobs).enqueued(Payments::settle, 7L).hasRun(1);
        clock.advance(Duration.ofMinutes(11));
        assertThat(jobs).enqueued(Payments::settle, 7L).hasRun(2);
        clock.advance(Duration.ofMinutes(11));
        assertThat(jobs).enqueued(Payments::settle, 7L).isDone().hasRun(3);
    }

    @Test
    void aCancelledJobIsNotRunWhenItsTimeComes() {
        String jid = client.in(Duration.ofHours(1)).enqueue(Emails::welcome, "bob", 5);
        client.in(Duration.ofHours(1)).enqueue(Emails::welcome, "eve", 5);
        client.cancel(String.valueOf(jid));

        clock.advance(Duration.ofHours(2));

        assertThat(emails.sent) // and perhaps the mail of a recurring job, by the time of day
                .contains("welcome eve 5")
                .doesNotContain("welcome bob 5");
        assertThat(jobs).enqueued(Emails::welcome, "bob", 5).isCancelled();
    }

    @Test
    void aBusinessFailureIsNotRetried() {
        assertThatThrownBy(() -> client.enqueue(Payments::refund, 7L))
                .hasCauseInstanceOf(JobFailedException.class)
                .hasMessageContaining("failed and is discarded");
    }

    @Test
    void aDelayedJobRunsWhenItsTimeHasCome() {
        client.in(Duration.ofHours(2)).enqueue(Emails::welcome, "bob", 5);
        clock.advance(Duration.ofMinutes(119));
        assertThat(emails.sent).doesNotContain("welcome bob 5"); // a newsletter may have been due

        clock.advance(Duration.ofMinutes(1));

        assertThat(emails.sent).contains("welcome bob 5");
    }

    @Test
    void theLockOfAUniqueJobEndsWithTheJobOrByTheClock() {
        JobClient unique = client.unique("bob");
        assertThat(unique.enqueue(Emails::welcome, "bob", 1)).isNotNull();
        assertThat(unique.enqueue(Emails::welcome, "bob", 2))
                .as("the first one is done")
                .isNotNull();

        assertThat(unique.in(Duration.ofHours(1)).enqueue(Emails::welcome, "bob", 3))
                .isNotNull();
        assertThat(unique.enqueue(Emails::welcome, "bob", 4)).isNull();
        clock.advance(Duration.ofHours(1));
        assertThat(unique.enqueue(Emails::welcome, "bob", 5)).isNotNull();

        payments.failures.set(1);
        assertThatThrownBy(() -> client.unique("7").enqueue(Payments::charge, 7L))
                .isInstanceOf(JobRunException.class);
        assertThat(client.unique("7").enqueue(Payments::charge, 7L))
                .as("one waits for its retry")
                .isNull();
        clock.advance(Duration.ofSeconds(26));
        assertThat(client.unique("7").enqueue(Payments::charge, 7L)).isNotNull();

        JobClient throttled =
                client.unique("eve").with("unique_until", "expiry").with("unique_for", 60);
        assertThat(throttled.enqueue(Emails::welcome, "eve", 1)).isNotNull();
        assertThat(throttled.enqueue(Emails::welcome, "eve", 2)).isNull();
        clock.advance(Duration.ofSeconds(60));
        assertThat(throttled.enqueue(Emails::welcome, "eve", 3)).isNotNull();
    }

    @Test
    void aJobThatFailsAgainTakesItsLockAgainThatRanOutBeforeItsRetry() {
        JobClient unique = client.unique("7").with("unique_for", 60);
        payments.failures.set(2);
        assertThatThrownBy(() -> unique.enqueue(Payments::charge, 7L)).isInstanceOf(JobRunException.class);
        clock.outage(Duration.ofHours(1));
        assertThat(jobs).enqueued(Payments::charge, 7L).isWaitingForRetry().hasRun(2);

        assertThat(unique.enqueue(Payments::charge, 7L)).isNull();
    }

    @Test
    void aDuplicateMayReplaceAJobThatHasNotBegun() {
        JobClient latest = client.unique("bob").with("unique_conflict", "replace");
        latest.in(Duration.ofHours(1)).enqueue(Emails::welcome, "bob", 1);
        latest.in(Duration.ofHours(2)).enqueue(Emails::welcome, "bob", 2);
        clock.advance(Duration.ofHours(2));

        assertThat(emails.sent).contains("welcome bob 2").doesNotContain("welcome bob 1");
        assertThat(latest.enqueue(Emails::welcome, "bob", 3)).isNotNull();
    }

    @Test
    void aDuplicateMayBeRejected() {
        JobClient rejecting = client.unique("bob").with("unique_conflict", "reject");
        rejecting.in(Duration.ofHours(1)).enqueue(Emails::welcome, "bob", 1);

        assertThat(rejecting.enqueue(Emails::welcome, "bob", 2)).isNull();
        assertThat(emails.sent).isEmpty();
    }

    @Test
    void aThrottledJobRunsOnceInEachPeriodAndTheLastOneAtItsEnd() {
        JobClient throttled = client.throttle("bob", Duration.ofMinutes(1));
        assertThat(throttled.enqueue(Emails::welcome, "bob", 1)).isNotNull();
        assertThat(throttled.enqueue(Emails::welcome, "bob", 2)).isNull();

        JobClient keeping = client.throttleKeepingLast("eve", Duration.ofMinutes(1));
        for (int i = 1; i <= 4; i++) {
            assertThat(keeping.enqueue(Emails::welcome, "eve", i)).isNotNull();
        }
        assertThat(emails.sent).contains("welcome bob 1", "welcome eve 1").doesNotContain("welcome eve 4");
        clock.advance(Duration.ofMinutes(1));
        assertThat(emails.sent).contains("welcome eve 4").doesNotContain("welcome bob 2", "welcome eve 3");
        keeping.enqueue(Emails::welcome, "eve", 5);
        assertThat(emails.sent).doesNotContain("welcome eve 5");
        clock.advance(Duration.ofMinutes(1));
        assertThat(emails.sent).contains("welcome eve 5");
    }

    @Test
    void aDebouncedJobWaitsForAPauseButNotForEver() {
        JobClient debounced = client.debounce("bob", Duration.ofSeconds(10), Duration.ofSeconds(25));
        for (int i = 1; i <= 5; i++) {
            debounced.enqueue(Emails::welcome, "bob", i);
            clock.advance(Duration.ofSeconds(6));
        }
        assertThat(emails.sent)
                .as("25 s after the first")
                .contains("welcome bob 5")
                .doesNotContain("welcome bob 1", "welcome bob 4");
        debounced.enqueue(Emails::welcome, "bob", 6);
        assertThat(emails.sent).doesNotContain("welcome bob 6");
        clock.advance(Duration.ofSeconds(10));
        assertThat(emails.sent).contains("welcome bob 6");
    }

    @Test
    void slotsThatWaitAreAllFiredAfterAnOutage(@Autowired RecurringJobs recurring) {
        clock.advanceTo(CronSchedule.parse("0 1 * * *").next(clock.instant()));
        Recurrence all =
                Recurrence.cron("0 2 * * *").missed(Missed.ALL).mostMissed(5).overlap(Overlap.QUEUE);
        recurring.save("all", all, JobCall.of(Payments::remind, 4L));

        clock.outage(Duration.ofDays(7));

        assertThat(jobs).enqueued(Payments::remind, 4L).times(5).isDone();
        assertThat(recurring.history("all")).hasSize(5);
    }

    @Test
    void aRecurringJobCanNotBeUnique(@Autowired RecurringJobs recurring) {
        assertThatThrownBy(
                        () -> recurring.save("dunning", Recurrence.cron("@daily"), JobCall.named("Payments.dun", 7, 1)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage("Could not enqueue job Payments.dun: it is unique, and a recurring job stores jobs without "
                        + "asking for locks; let that one enqueue it");
    }

    @Test
    void aLockMayEndWhenTheJobStarts() {
        client.enqueue(Payments::dun, 7L, 3);

        assertThat(jobs).enqueued(Payments::dun, 7L, 2).isDone();
        assertThat(jobs).enqueued(Payments::dun, 7L, 1).isDone();
    }

    @Test
    void theClockStandsAtTheTimeOfEachJob() {
        Instant start = clock.instant();
        client.in(Duration.ofDays(1)).enqueue(Payments::charge, 7L);

        clock.advance(Duration.ofDays(10));

        assertThat(jobs).enqueued(Payments::remind, 7L).at(start.plus(Duration.ofDays(31)));
        assertThat(clock.instant()).isEqualTo(start.plus(Duration.ofDays(10)));
    }

    @Test
    void recurringJobsRunAtTheirSlots() {
        clock.advance(Duration.ofDays(21));

        assertThat(emails.sent).hasSize(21).containsOnly("newsletter");
    }

    @Test
    void anIterationContinuesWithTheElementThatFailed(@Autowired Imports imports) {
        assertThatThrownBy(() -> client.enqueue(Imports::load)).hasMessageContaining("no c");
        imports.refusesC = false;

        clock.advance(Duration.ofMinutes(1));

        assertThat(imports.rows).containsExactly("a", "b", "c", "d");
    }

    @Test
    void aJobOfAnotherApplicationIsRecordedAndLeft() {
        client.enqueue("HardWorker", "bob", 5);
        client.in(Duration.ofHours(1)).enqueue("HardWorker", "eve", 5);
        clock.advance(Duration.ofHours(1));

        assertThat(jobs).enqueued("HardWorker", "bob", 5).hasNotRun();
        assertThat(jobs).enqueued("HardWorker", "eve", 5).hasNotRun();
    }

    @Test
    void bulkCallsRunEachJob() {
        client.enqueueAll(
                "Emails.welcome", java.util.List.of(java.util.List.of("bob", 1), java.util.List.of("eve", 2)));

        assertThat(emails.sent).containsExactly("welcome bob 1", "welcome eve 2");
    }

    @Test
    void aResultIsThereAsFromAWorker() throws Exception {
        JobHandle<Long> handle = client.submit(JobCall.of(Payments::total, 7L), Long.class);

        assertThat(handle.await(Duration.ofSeconds(10)).value()).isEqualTo(14);
        assertThat(client.result(handle.jid(), Long.class).value()).isEqualTo(14);
        assertThat(jobs.log(handle.jid())).containsExactly("adding up order 7");
        assertThat(client.result("other", Long.class).state()).isEqualTo(State.UNKNOWN);
    }

    @Test
    void aFailureIsAResult() throws Exception {
        payments.failures.set(1);

        assertThatThrownBy(() -> client.submit(JobCall.of(Payments::total, 7L), Long.class))
                .isInstanceOf(JobRunException.class);
        assertThatThrownBy(() -> client.submit(JobCall.of(Payments::refund, 7L), Void.class))
                .isInstanceOf(JobRunException.class);

        String jid = jobs.enqueued().get(0).jid();
        assertThat(client.result(jid, Long.class).state()).isEqualTo(State.RETRIED);
        assertThat(client.result(jobs.enqueued().get(1).jid(), Void.class).state())
                .isEqualTo(State.FAILED);
        clock.advance(Duration.ofMinutes(1));
        assertThat(client.result(jid, Long.class).value()).isEqualTo(14);
    }
}
