package dev.jobs.test.ladder;

import static dev.jobs.test.JobsAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.RetryRule;
import dev.jobs.recurring.Missed;
import dev.jobs.recurring.Overlap;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.test.JobRunException;
import dev.jobs.test.JobsMode;
import dev.jobs.test.JobsTest;
import dev.jobs.test.TestClock;
import dev.jobs.test.TestJobs;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** The retries of a job with a rule of its own, without Redis: to the second. */
@JobsTest(mode = JobsMode.INLINE)
class LadderTests {

    @Autowired
    private JobClient client;

    @Autowired
    private TestJobs jobs;

    @Autowired
    private TestClock clock;

    @Autowired
    private Prices prices;

    private Instant begin;

    @BeforeEach
    void begin() {
        prices.attempts.clear();
        begin = clock.instant();
    }

    private Stream<Long> seconds() {
        return prices.attempts.stream()
                .map(each -> Duration.between(begin, each).toSeconds());
    }

    @Test
    void theDelaysOfTheAnnotationPassByTheClock() {
        assertThatThrownBy(() -> client.enqueue(Prices::load, 7L)).isInstanceOf(JobRunException.class);

        clock.advance(Duration.ofHours(1));

        assertThat(seconds()).containsExactly(0L, 10L, 40L, 130L, 250L);
        assertThat(jobs).enqueued(Prices::load, 7L).isDead().hasRun(5);
    }

    @Test
    void thoseOfACallComeBeforeThem() {
        RetryRule rule = RetryRule.after(Duration.ofMinutes(1)).maxRetries(2);
        assertThatThrownBy(() -> client.retry(rule).enqueue(Prices::load, 7L)).isInstanceOf(JobRunException.class);

        clock.advance(Duration.ofHours(1));

        assertThat(seconds()).containsExactly(0L, 60L, 120L);
    }

    @Test
    void aFailureThatIsNotRetriedIsTheLast() {
        assertThatThrownBy(() -> client.enqueue(Prices::load, -1L))
                .isInstanceOf(JobRunException.class)
                .hasCauseInstanceOf(IllegalArgumentException.class);

        clock.advance(Duration.ofHours(1));

        assertThat(seconds()).containsExactly(0L);
        assertThat(jobs).enqueued(Prices::load, -1L).isDead().hasRun(1);
    }

    @Test
    void theDelayOfARecurringJobBeginsAfterTheLastRetry(@Autowired RecurringJobs recurring) {
        recurring.save("prices", Recurrence.delay(Duration.ofMinutes(1)), JobCall.of(Prices::load, 7L));

        clock.advance(Duration.ofSeconds(370));

        begin = prices.attempts.get(0);
        assertThat(seconds()).containsExactly(0L, 10L, 40L, 130L, 250L, 310L);
    }

    @Test
    void aRetryKeepsOtherRunsOfARecurringJobAway(@Autowired RecurringJobs recurring) {
        recurring.save(
                "prices", Recurrence.every(Duration.ofMinutes(1)).overlap(Overlap.SKIP), JobCall.of(Prices::load, 7L));

        clock.advance(Duration.ofMinutes(6));

        assertThat(jobs).enqueued(Prices::load, 7L).times(2);
    }

    @Test
    void slotsThatWaitedAreFiredOnceEachAlthoughTheirJobsFail(@Autowired RecurringJobs recurring) {
        Recurrence all = Recurrence.every(Duration.ofMinutes(1)).overlap(Overlap.QUEUE);
        recurring.save("prices", all.missed(Missed.ALL), JobCall.of(Prices::load, 7L));
        clock.advance(Duration.ofSeconds(60));
        begin = prices.attempts.get(0);
        recurring.save("prices", all.missed(Missed.ALL), JobCall.of(Prices::load, -1L));

        clock.advanceTo(begin.plusSeconds(255));

        assertThat(seconds()).containsExactly(0L, 10L, 40L, 130L, 250L, 250L, 250L, 250L, 250L);
        jobs.drain();
        assertThat(jobs).enqueued(Prices::load, -1L).times(4).isDead();
        assertThat(recurring.history("prices")).hasSize(5);
    }

    @Test
    void aRunByHandIsRememberedAlthoughItsJobFails(@Autowired RecurringJobs recurring) {
        recurring.save("prices", Recurrence.cron("@yearly"), JobCall.of(Prices::load, -1L));

        assertThatThrownBy(() -> recurring.runNow("prices")).isInstanceOf(JobRunException.class);

        assertThat(recurring.history("prices")).hasSize(1);
    }
}
