package dev.jobs.slices;

import static dev.jobs.test.JobsAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobClient;
import dev.jobs.test.AutoConfigureJobs;
import dev.jobs.test.TestJobs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** All modules beside the recorded jobs of a test, without Redis. */
@SpringBootTest(properties = "jobs.transactions=outbox")
@AutoConfigureJobs
@ExtendWith(OutputCaptureExtension.class)
class WholeApplicationTests {

    @Test
    void nothingLooksForARedis(
            @Autowired ConfigurableApplicationContext context,
            @Autowired JobClient client,
            @Autowired TestJobs jobs,
            @Autowired PlatformTransactionManager manager,
            CapturedOutput output) {
        new TransactionTemplate(manager).executeWithoutResult(status -> client.enqueue(Mails::welcome, "bob"));

        assertThat(jobs).hasSize(1).enqueued(Mails::welcome, "bob");
        assertThat(context.getBeanFactory().containsSingleton("jobsEmbeddedRedis"))
                .isFalse();
        assertThat(output.getAll().lines().filter(line -> line.contains(" WARN ") && line.contains("jobs")))
                .isEmpty();
    }
}
