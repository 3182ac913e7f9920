package dev.jobs.spring.autoconfigure.endpoint;

import dev.jobs.ArgumentMasking;
import dev.jobs.admin.ProcessInfo;
import dev.jobs.admin.QueueInfo;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.Batches;
import dev.jobs.limits.LimitInfo;
import dev.jobs.recurring.DeclaredChanges;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.spring.BatchView;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.batches.BatchSection;
import dev.jobs.spring.autoconfigure.installations.OwnEngines;
import dev.jobs.spring.autoconfigure.operations.Section;
import dev.jobs.spring.autoconfigure.recurring.RecurringSection;
import dev.jobs.spring.autoconfigure.unique.LockSection;
import dev.jobs.unique.HeldLock;
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

/** Auto-configuration of the endpoint {@code jobs}, if it is exposed. */
@AutoConfiguration(after = JobsAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBooleanProperty(name = "jobs.enabled", matchIfMissing = true)
@ConditionalOnBean(JobsAdmin.class)
@ConditionalOnAvailableEndpoint(JobsEndpoint.class)
@RegisterReflectionForBinding({
    InstallationOperations.Overview.class,
    RecurringSection.Recurring.class,
    DeclaredChanges.class,
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
    @ConditionalOnMissingBean(name = "jobsEndpoint")
    JobsEndpoint jobsEndpoint(
            JobsAdmin admin,
            ObjectProvider<RecurringJobs> recurring,
            ObjectProvider<Batches> batches,
            ObjectProvider<OwnEngines> engines,
            ObjectProvider<EngineConfig> config,
            ArgumentMasking masking,
            ObjectProvider<Section> ofFeatures) {
        OwnEngines running = engines.getIfAvailable();
        return new JobsEndpoint(new InstallationOperations(
                admin,
                recurring.getIfAvailable(),
                batches.getIfAvailable(),
                running == null ? null : running.first(),
                Set.copyOf(InstallationOperations.served(config.getIfAvailable())),
                masking,
                ofFeatures.orderedStream().toList()));
    }
}
