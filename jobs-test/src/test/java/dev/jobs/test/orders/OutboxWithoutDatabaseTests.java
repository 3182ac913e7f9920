package dev.jobs.test.orders;

import static dev.jobs.test.JobsAssertions.assertThat;

import dev.jobs.test.JobsTest;
import dev.jobs.test.TestJobs;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@JobsTest(properties = "jobs.transactions=outbox")
class OutboxWithoutDatabaseTests {

    @Test
    void aTestOfJobsAloneNeedsNoDatabase(@Autowired Orders orders, @Autowired TestJobs jobs) {
        orders.place("bob");

        jobs.drain();

        assertThat(jobs).enqueued(Orders::confirm, "bob").isDone();
    }
}
