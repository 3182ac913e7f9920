package dev.jobs.spring.autoconfigure.endpoint;

import dev.jobs.ArgumentMasking;
import dev.jobs.admin.ProcessInfo;
import dev.jobs.admin.QueueInfo;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.Batches;
import dev.jobs.limits.LimitInfo;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.spring.BatchView;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.OwnEngines;
import dev.jobs.spring.autoconfigure.OwnInstallations;
import dev.jobs.spring.autoconfigure.OwnInstallations.Installation;
import dev.jobs.spring.autoconfigure.QueueMoves;
import dev.jobs.spring.autoconfigure.batches.BatchSection;
import dev.jobs.spring.autoconfigure.recurring.RecurringSection;
import dev.jobs.spring.autoconfigure.unique.LockSection;
import dev.jobs.unique.HeldLock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the endpoint {@code jobs}, if it is exposed. */
@AutoConfiguration(after = JobsAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBooleanProperty(name = "jobs.enabled", matchIfMissing = true)
@ConditionalOnBean(JobsAdmin.class)
@ConditionalOnAvailableEndpoint(JobsEndpoint.class)
@RegisterReflectionForBinding({
    ShardOperations.Overview.class,
    EndpointShards.Sums.class,
    RecurringSection.Recurring.class,
    BatchSection.BatchList.class,
    LockSection.LockList.class,
    LimitInfo.class,
    HeldLock.class,
    BatchView.class,
    QueueInfo.class,
    ProcessInfo.class
})
public final class JobsEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    JobsEndpoint jobsEndpoint(
            OwnInstallations own,
            ObjectProvider<RecurringJobs> recurring,
            ObjectProvider<Batches> batches,
            ObjectProvider<OwnEngines> engines,
            ObjectProvider<EngineConfig> config,
            ObjectProvider<QueueMoves> transfers,
            ArgumentMasking masking) {
        List<String> queues = queues(config.getIfAvailable());
        QueueMoves moves = transfers.getIfAvailable();
        OwnEngines running = engines.getIfAvailable();
        Map<String, JobEngine> byShard = running == null ? Map.of() : running.byInstallation();
        Map<String, ShardOperations> operations = new LinkedHashMap<>();
        for (Installation shard : own.all()) {
            boolean home = shard.name().equals(own.home());
            operations.put(
                    shard.name(),
                    new ShardOperations(
                            shard.admin(),
                            home ? recurring.getIfAvailable() : shard.recurring(),
                            home ? batches.getIfAvailable() : shard.batches(),
                            byShard.get(shard.name()),
                            Set.copyOf(own.served(shard.name(), queues)),
                            masking));
        }
        return new JobsEndpoint(new EndpointShards(own, operations, moves));
    }

    /** Those of the worker in this process; none if it has none, or one that the application makes itself. */
    private static List<String> queues(@Nullable EngineConfig config) {
        return config == null
                ? List.of()
                : config.capsules().stream()
                        .flatMap(each -> each.queues().stream())
                        .toList();
    }
}
