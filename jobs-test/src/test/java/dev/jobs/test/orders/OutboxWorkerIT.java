package dev.jobs.test.orders;

import static dev.jobs.test.JobsAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.test.AutoConfigureJobs;
import dev.jobs.test.JobsMode;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;

/** With the real outbox, although this application leaves the relay to another one. */
@SpringBootTest(properties = {"jobs.transactions=outbox", "jobs.outbox.relay=false"})
@AutoConfigureJobs(mode = JobsMode.WORKER)
class OutboxWorkerIT extends TransactionsContract {

    @Test
    void theJobsOfATransactionAreRows() {
        transaction.executeWithoutResult(status -> orders.place("bob"));

        assertThat(rows()).isLessThanOrEqualTo(1);
        jobs.drain();
        assertThat(rows()).isZero();
        assertThat(jobs).enqueued(Orders::confirm, "bob").isDone();
    }
}
