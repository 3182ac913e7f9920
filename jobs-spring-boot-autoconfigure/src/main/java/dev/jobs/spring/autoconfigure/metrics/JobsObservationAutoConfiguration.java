package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.ArgumentMask;
import dev.jobs.ArgumentMasking;
import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import dev.jobs.spring.observation.JobEnqueueConvention;
import dev.jobs.spring.observation.JobPerformConvention;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Auto-configuration of observations, if there is an observation registry. */
@AutoConfiguration(
        after = {JobsAutoConfiguration.class, JobsMetricsAutoConfiguration.class},
        afterName = {
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration"
        })
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean({ObservationRegistry.class, JobsAdmin.class})
public final class JobsObservationAutoConfiguration {

    @Bean
    EnqueueObservations jobsEnqueueObservations(
            ObservationRegistry observations, ObjectProvider<JobEnqueueConvention> convention, JobRegistry jobs) {
        return new EnqueueObservations(observations, convention.getIfAvailable(), jobs);
    }

    @Bean
    PerformObservations jobsPerformObservations(
            ObservationRegistry observations,
            ObjectProvider<JobPerformConvention> convention,
            JobRegistry jobs,
            ObjectProvider<ArgumentMask> masks) {
        return new PerformObservations(
                observations,
                convention.getIfAvailable(),
                jobs,
                new ArgumentMasking(jobs, masks.orderedStream().toList()));
    }

    @Bean
    static BeanPostProcessor jobsDeathObservations(
            ObjectProvider<ObservationRegistry> observations, ObjectProvider<JobRegistry> jobs) {
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                return bean instanceof JobHooks hooks
                        ? new DeathObservations(observations.getObject(), jobs.getObject()).around(hooks)
                        : bean;
            }
        };
    }

    /** After the values that a job took along are back, so that conventions can use them. */
    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE + 1)
    JobListener jobsObservationStart(PerformObservations observations) {
        return observations.begins();
    }

    /** After the listeners of the application, whose work belongs to the trace. */
    @Bean
    @Order(Ordered.LOWEST_PRECEDENCE)
    JobListener jobsObservationStop(PerformObservations observations) {
        return observations.ends();
    }

    /** With a tracer, whose classes only this one names. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Tracer.class)
    @ConditionalOnBean(Tracer.class)
    static class Traces {

        /** Before those of Spring Boot, of which the first that fits makes the span. */
        @Bean
        @Order(0)
        LinkedTraces jobsLinkedTraces(Tracer tracer, JobsProperties properties) {
            return new LinkedTraces(tracer, properties.tracing().links());
        }
    }
}
