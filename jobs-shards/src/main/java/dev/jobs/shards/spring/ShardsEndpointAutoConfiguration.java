package dev.jobs.shards.spring;

import dev.jobs.ArgumentMasking;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.Batches;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.shards.spring.ApplicationShards.SuppliedShard;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.endpoint.InstallationOperations;
import dev.jobs.spring.autoconfigure.endpoint.JobsEndpointAutoConfiguration;
import dev.jobs.spring.autoconfigure.installations.OwnEngines;
import dev.jobs.spring.autoconfigure.operations.Section;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the endpoint {@code jobs} of an application that may have several shards. */
@AutoConfiguration(after = JobsAutoConfiguration.class, before = JobsEndpointAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBooleanProperty(name = "jobs.enabled", matchIfMissing = true)
@ConditionalOnBean({JobsAdmin.class, ApplicationShards.class})
@ConditionalOnAvailableEndpoint(ShardsEndpoint.class)
@RegisterReflectionForBinding({EndpointShards.Sums.class, ShardTransfers.Progress.class})
public final class ShardsEndpointAutoConfiguration {

    /** @param connections none if the application brings its own: then no queue moves */
    @Bean
    @ConditionalOnMissingBean(name = "jobsEndpoint")
    ShardsEndpoint jobsEndpoint(
            JobsProperties properties,
            ApplicationShards shards,
            ObjectProvider<RecurringJobs> recurring,
            ObjectProvider<Batches> batches,
            ObjectProvider<OwnEngines> engines,
            ObjectProvider<EngineConfig> config,
            ObjectProvider<ShardConnections> connections,
            ArgumentMasking masking,
            ObjectProvider<Section> ofFeatures) {
        List<Section> alike = ofFeatures.orderedStream().toList();
        List<String> queues = InstallationOperations.served(config.getIfAvailable());
        OwnEngines running = engines.getIfAvailable();
        Map<String, JobEngine> byShard = running == null ? Map.of() : running.byInstallation();
        Map<String, InstallationOperations> operations = new LinkedHashMap<>();
        for (SuppliedShard shard : shards.all()) {
            boolean home = shard.name().equals(shards.home());
            operations.put(
                    shard.name(),
                    new InstallationOperations(
                            shard.admin(),
                            home ? recurring.getIfAvailable() : shard.recurring(),
                            home ? batches.getIfAvailable() : shard.batches(),
                            byShard.get(shard.name()),
                            Set.copyOf(shards.layout().served(shard.name(), queues)),
                            masking,
                            alike));
        }
        ShardConnections open = connections.getIfAvailable();
        ShardTransfers transfers = open == null
                ? null
                : new ShardTransfers(open, properties.recurring().namespace());
        return new ShardsEndpoint(new EndpointShards(shards, operations, alike, transfers));
    }
}
