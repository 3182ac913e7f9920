package dev.jobs.slices;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobClient;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.context.ApplicationContext;

@JdbcTest(properties = "jobs.transactions=outbox")
class SliceWithoutJobsTests {

    @Test
    void aSliceThatDoesNotAskForJobsHasNothingOfThem(@Autowired ApplicationContext context) {
        assertThat(context.getBeanProvider(JobClient.class).getIfAvailable()).isNull();
        assertThat(context.getBeanDefinitionNames())
                .noneMatch(name -> name.startsWith("jobs") || name.contains("dev.jobs"));
    }
}
