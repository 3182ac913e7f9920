package dev.jobs.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import dev.jobs.JobClient;
import dev.jobs.JobRegistry;
import dev.jobs.batches.Batches;
import dev.jobs.limiters.Limiters;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.spring.autoconfigure.client.ClientParts;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Applications have beans of their own, by names that are as near. */
@ExtendWith(OutputCaptureExtension.class)
class BeanNamesTests {

    @Test
    void anApplicationMayHaveBeansOfItsOwnByThatName() {
        JobsContext.withoutWorker().withUserConfiguration(OwnBeans.class).run(context -> assertThat(context)
                .hasNotFailed()
                .hasSingleBean(JobClient.class)
                .hasSingleBean(JobRegistry.class)
                .hasSingleBean(Batches.class)
                .hasSingleBean(Limiters.class)
                .hasSingleBean(RecurringJobs.class)
                .getBean("limiters")
                .isEqualTo(List.of("an application's")));
    }

    @Test
    void aNameOfOursEndsTheStartWithTheWayOut(CapturedOutput output) {
        assertStartFails(OwnLimiters.class);

        assertThat(output)
                .contains("The bean 'jobsLimiters' of Jobs")
                .contains("OwnLimiters")
                .contains("Rename")
                .contains("no bean of type dev.jobs.limiters.Limiters where");
    }

    @Test
    void twoOfATypeEndTheStartWithTheWayOut(CapturedOutput output) {
        assertStartFails(TwoRegistries.class);

        assertThat(output)
                .contains("dev.jobs.JobRegistry, and there are 2")
                .contains("one: defined by method 'one' in ")
                .contains("two: defined by method 'two' in ")
                .contains("TwoRegistries")
                .contains("@Primary")
                .contains("defaultCandidate = false");
    }

    @Test
    void oneBesideOursEndsTheStartWithTheWayOut(CapturedOutput output) {
        assertStartFails(OwnClientParts.class);

        assertThat(output)
                .contains("dev.jobs.spring.autoconfigure.client.ClientParts, and there are 2")
                .contains("jobsClientParts: of Jobs, defined by method 'jobsClientParts' in ")
                .contains("own: defined by method 'own' in ");
    }

    private static void assertStartFails(Class<?> application) {
        assertThatException().isThrownBy(() -> new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .properties("spring.data.redis.port=1", "jobs.worker.enabled=false")
                .run());
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataRedisAutoConfiguration.class,
        LifecycleAutoConfiguration.class,
        JobsAutoConfiguration.class
    })
    static class OwnLimiters {

        @Bean
        List<String> jobsLimiters() {
            return List.of();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataRedisAutoConfiguration.class,
        LifecycleAutoConfiguration.class,
        JobsAutoConfiguration.class
    })
    static class TwoRegistries {

        @Bean
        JobRegistry one() {
            return new JobRegistry(List.of(), List::of);
        }

        @Bean
        JobRegistry two() {
            return one();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataRedisAutoConfiguration.class,
        LifecycleAutoConfiguration.class,
        JobsAutoConfiguration.class
    })
    static class OwnClientParts {

        @Bean
        ClientParts own() {
            return new ClientParts(null, null, null, null, null, null, null);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnBeans {

        @Bean
        List<String> limiters() {
            return List.of("an application's");
        }

        @Bean
        List<String> batches() {
            return limiters();
        }

        @Bean
        List<String> jobRegistry() {
            return limiters();
        }

        @Bean
        List<String> jobClient() {
            return limiters();
        }

        @Bean
        List<String> recurringJobs() {
            return limiters();
        }

        @Bean
        List<String> jobStore() {
            return limiters();
        }

        @Bean
        List<String> jobEngine() {
            return limiters();
        }

        @Bean
        List<String> jobHooks() {
            return limiters();
        }
    }
}
