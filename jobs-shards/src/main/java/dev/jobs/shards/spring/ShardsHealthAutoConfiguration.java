package dev.jobs.shards.spring;

import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.shards.spring.ApplicationShards.SuppliedShard;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.batches.StuckBatches;
import dev.jobs.spring.autoconfigure.health.JobsHealthAutoConfiguration;
import dev.jobs.spring.autoconfigure.health.JobsHealthIndicator;
import dev.jobs.spring.autoconfigure.installations.OwnEngines;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Auto-configuration of the healths {@code jobs} and {@code jobsReadiness} of an application that may have several shards. */
@AutoConfiguration(after = JobsAutoConfiguration.class, before = JobsHealthAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBooleanProperty(name = "jobs.enabled", matchIfMissing = true)
@ConditionalOnBean({JobsAdmin.class, ApplicationShards.class})
@ConditionalOnEnabledHealthIndicator("jobs")
public final class ShardsHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = {"jobsHealthIndicator", "jobsHealthContributor"})
    HealthIndicator jobsHealthIndicator(
            ApplicationShards shards,
            ObjectProvider<OwnEngines> engines,
            JobsProperties properties,
            EngineEnvironment environment,
            ObjectProvider<EngineConfig> config) {
        OwnEngines running = engines.getIfAvailable();
        Map<String, JobEngine> byShard = running == null ? Map.of() : running.byInstallation();
        Map<String, HealthIndicator> all = new LinkedHashMap<>();
        for (SuppliedShard shard : shards.all()) {
            StuckBatches stuck = new StuckBatches(properties.batches().stuckAfter(), environment.nanoTime());
            all.put(shard.name(), new JobsHealthIndicator(shard.admin(), byShard.get(shard.name()), stuck));
        }
        if (all.size() == 1) {
            return all.values().iterator().next();
        }
        EngineConfig worker = config.getIfAvailable();
        return new ShardsHealthIndicator(shards, all, byShard.values(), worker == null ? 0 : worker.concurrency());
    }

    /** Readiness of the worker, if there is one. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(OwnEngines.class)
    static class Readiness {

        @Bean
        @ConditionalOnMissingBean(name = {"jobsReadinessHealthIndicator", "jobsReadinessHealthContributor"})
        HealthIndicator jobsReadinessHealthIndicator(OwnEngines engines) {
            return new ShardsReadinessHealthIndicator(engines);
        }
    }
}
