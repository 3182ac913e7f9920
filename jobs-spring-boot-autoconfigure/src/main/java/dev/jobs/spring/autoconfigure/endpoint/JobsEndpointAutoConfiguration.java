package dev.jobs.spring.autoconfigure.endpoint;

import dev.jobs.Batches;
import dev.jobs.RecurringJobs;
import dev.jobs.admin.HeldLock;
import dev.jobs.admin.JobsAdmin;
import dev.jobs.admin.LimitInfo;
import dev.jobs.admin.ProcessInfo;
import dev.jobs.admin.QueueInfo;
import dev.jobs.engine.JobEngine;
import dev.jobs.spring.BatchView;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
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
    JobsEndpoint.Overview.class,
    JobsEndpoint.Recurring.class,
    JobsEndpoint.BatchList.class,
    JobsEndpoint.LockList.class,
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
            JobsAdmin admin,
            ObjectProvider<RecurringJobs> recurring,
            ObjectProvider<Batches> batches,
            ObjectProvider<JobEngine> engine) {
        return new JobsEndpoint(admin, recurring.getIfAvailable(), batches.getIfAvailable(), engine.getIfAvailable());
    }
}
