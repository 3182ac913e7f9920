package dev.jobs.test.orders;

import static dev.jobs.test.JobsAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.test.AutoConfigureJobs;
import dev.jobs.test.JobsMode;
import dev.jobs.test.TestJobs;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@SpringBootTest(properties = "jobs.transactions=outbox")
@AutoConfigureJobs(mode = JobsMode.INLINE)
class OutboxInlineTests {

    @Test
    void jobsRunAfterTheCommit(
            @Autowired Orders orders, @Autowired TestJobs jobs, @Autowired PlatformTransactionManager manager) {
        new TransactionTemplate(manager).executeWithoutResult(status -> {
            orders.place("bob");
            assertThat(orders.confirmed).isEmpty();
        });

        assertThat(orders.confirmed).containsExactly("bob");
        assertThat(jobs).enqueued(Orders::confirm, "bob").isDone();
    }
}
