package dev.jobs.modulith;

import dev.jobs.JobClient;
import dev.jobs.JobDefinitionException;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.transactions.Outbox;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.ExternalizationMode;
import org.springframework.modulith.events.config.EventExternalizationAutoConfiguration;

/** Auto-configuration of what enqueues the externalized events of Spring Modulith. */
@AutoConfiguration(after = {JobsAutoConfiguration.class, EventExternalizationAutoConfiguration.class})
@ConditionalOnBooleanProperty(name = "spring.modulith.events.externalization.enabled", matchIfMissing = true)
@ConditionalOnBean({JobClient.class, EventExternalizationConfiguration.class})
class JobsModulithAutoConfiguration {

    @Bean
    JobTransport jobsEventTransport(JobClient jobs, BeanFactory beans) {
        return new JobTransport(jobs, beans);
    }

    @Bean
    @ConditionalOnProperty(name = ExternalizationMode.PROPERTY, havingValue = "module-listener", matchIfMissing = true)
    EventJobs jobsEventExternalizer(EventExternalizationConfiguration configuration, JobTransport transport) {
        return new EventJobs(configuration, transport);
    }

    @Bean
    @ConditionalOnProperty(name = ExternalizationMode.PROPERTY, havingValue = "outbox")
    EventOutbox jobsEventOutbox(
            EventExternalizationConfiguration configuration, JobTransport transport, ObjectProvider<Outbox> outbox) {
        if (outbox.stream().findAny().isEmpty()) {
            throw new JobDefinitionException(
                    ExternalizationMode.PROPERTY
                            + " is 'outbox', and jobs have no outbox, so events of a transaction could"
                            + " be lost after its commit",
                    "Add dev.jobs:jobs-outbox-jdbc to the class path and set jobs.transactions=outbox, or remove "
                            + ExternalizationMode.PROPERTY + ".");
        }
        return new EventOutbox(configuration, transport);
    }
}
