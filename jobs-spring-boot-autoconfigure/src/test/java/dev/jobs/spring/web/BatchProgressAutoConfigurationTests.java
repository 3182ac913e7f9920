package dev.jobs.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.batches.Batches;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

class BatchProgressAutoConfigurationTests {

    private static final AutoConfigurations ALL = AutoConfigurations.of(
            DataRedisAutoConfiguration.class,
            LifecycleAutoConfiguration.class,
            JobsAutoConfiguration.class,
            BatchProgressAutoConfiguration.class);

    private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
            .withConfiguration(ALL)
            .withPropertyValues("jobs.worker.enabled=false", "spring.data.redis.port=1");

    @Test
    void aSpringMvcApplicationHasIt() {
        runner.run(context -> assertThat(context).hasSingleBean(BatchProgress.class));
    }

    @Test
    void anApplicationWithoutSpringMvcStartsWithoutIt() {
        runner.withClassLoader(new FilteredClassLoader(SseEmitter.class)).run(context -> assertThat(context)
                .hasNotFailed()
                .hasSingleBean(Batches.class)
                .doesNotHaveBean("jobsBatchProgress"));
    }

    @Test
    void anApplicationThatIsNoServletApplicationStartsWithoutIt() {
        new ApplicationContextRunner()
                .withConfiguration(ALL)
                .withPropertyValues("jobs.worker.enabled=false", "spring.data.redis.port=1")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(BatchProgress.class));
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(ALL)
                .withPropertyValues("jobs.worker.enabled=false", "spring.data.redis.port=1")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(BatchProgress.class));
    }
}
