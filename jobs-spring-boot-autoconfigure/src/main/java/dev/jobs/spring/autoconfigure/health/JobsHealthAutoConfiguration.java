package dev.jobs.spring.autoconfigure.health;

import dev.jobs.assembly.JobsAdmin;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.batches.StuckBatches;
import dev.jobs.spring.autoconfigure.installations.OwnEngines;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroupsPostProcessor;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Auto-configuration of the health {@code jobs}, and of {@code jobsReadiness} for groups that include it. */
@AutoConfiguration(after = JobsAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBooleanProperty(name = "jobs.enabled", matchIfMissing = true)
@ConditionalOnBean(JobsAdmin.class)
@ConditionalOnEnabledHealthIndicator("jobs")
public final class JobsHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = {"jobsHealthIndicator", "jobsHealthContributor"})
    HealthIndicator jobsHealthIndicator(
            JobsAdmin admin,
            ObjectProvider<OwnEngines> engines,
            JobsProperties properties,
            EngineEnvironment environment) {
        OwnEngines running = engines.getIfAvailable();
        StuckBatches stuck = new StuckBatches(properties.batches().stuckAfter(), environment.nanoTime());
        return new JobsHealthIndicator(admin, running == null ? null : running.first(), stuck);
    }

    /** Readiness of the worker, if there is one. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(OwnEngines.class)
    static class Readiness {

        @Bean
        @ConditionalOnMissingBean(name = {"jobsReadinessHealthIndicator", "jobsReadinessHealthContributor"})
        HealthIndicator jobsReadinessHealthIndicator(OwnEngines engines) {
            return new JobsReadinessHealthIndicator(engines.first());
        }

        @Bean
        @ConditionalOnClass(HealthEndpointGroupsPostProcessor.class)
        static ReadinessOnRequest jobsReadinessOnRequest() {
            return new ReadinessOnRequest();
        }
    }
}
