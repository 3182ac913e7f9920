package dev.jobs.test.shop;

import static dev.jobs.test.JobsAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.recurring.Overlap;
import dev.jobs.recurring.RecurringJob;
import dev.jobs.recurring.RecurringJob.Origin;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.test.JobsTest;
import dev.jobs.test.TestClock;
import dev.jobs.test.TestJobs;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** Recurring jobs that the configuration of a test declares, or turns off. */
@JobsTest(
        properties = {
            "jobs.recurring.schedules[Emails.newsletter]=-",
            "jobs.recurring.schedules.reminder.job=Payments.remind",
            "jobs.recurring.schedules.reminder.cron=0 6 * * mon",
            "jobs.recurring.schedules.reminder.args=7",
            "jobs.recurring.schedules.reminder.queue=mail",
            "jobs.recurring.schedules.often.job=Payments.remind",
            "jobs.recurring.schedules.often.every=7d",
            "jobs.recurring.schedules.often.overlap=skip",
            "jobs.recurring.schedules.often.args=8"
        })
class SchedulesTests {

    @Autowired
    private TestJobs jobs;

    @Test
    void theyRunAtTheirSlots(@Autowired TestClock clock) {
        clock.advance(Duration.ofDays(21));

        assertThat(jobs).enqueued(Payments::remind, 7L).inQueue("mail").times(3);
        assertThat(jobs).enqueued(Payments::remind, 8L).times(3);
        assertThat(jobs).notEnqueued("Emails.newsletter");
    }

    @Test
    void theySayWhereTheyComeFrom(@Autowired RecurringJobs recurring) {
        assertThat(recurring.list()).extracting(RecurringJob::name).containsExactly("often", "reminder");
        assertThat(recurring.list()).extracting(RecurringJob::origin).containsOnly(Origin.CONFIGURATION);
        assertThat(recurring.find("often").orElseThrow().overlap()).isEqualTo(Overlap.SKIP);
    }
}
