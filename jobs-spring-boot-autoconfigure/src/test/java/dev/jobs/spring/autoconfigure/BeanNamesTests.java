package dev.jobs.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobClient;
import dev.jobs.JobRegistry;
import dev.jobs.batches.Batches;
import dev.jobs.limiters.Limiters;
import dev.jobs.recurring.RecurringJobs;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Applications have beans of their own, by names that are as near. */
class BeanNamesTests {

    @Test
    void anApplicationMayHaveBeansOfItsOwnByThatName() {
        JobsContext.withoutWorker()
                .withUserConfiguration(OwnBeans.class)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(JobClient.class)
                        .hasSingleBean(JobRegistry.class)
                        .hasSingleBean(Batches.class)
                        .hasSingleBean(Limiters.class)
                        .hasSingleBean(RecurringJobs.class)
                        .getBean("limiters")
                        .isEqualTo(List.of("an application's")));
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
