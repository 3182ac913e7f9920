package dev.jobs.history;

import dev.jobs.spring.autoconfigure.database.ConditionalOnJobsDatabase;
import dev.jobs.spring.autoconfigure.database.JobsDatabase;
import dev.jobs.spring.autoconfigure.database.SchemaChanges;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** What applications inject, for one that is turned off: it reads the history and writes nothing to it. */
@AutoConfiguration(after = JobsHistoryAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "jobs.enabled", havingValue = false)
@ConditionalOnBooleanProperty(name = "jobs.history.enabled", matchIfMissing = true)
@ConditionalOnJobsDatabase
@ConditionalOnMissingBean(JobHistory.class)
@EnableConfigurationProperties(HistoryProperties.class)
@Import(JobsDatabase.Choice.class)
final class JobsHistoryTurnedOff {

    @Bean
    SchemaChanges jobsHistorySchema(JobsDatabase chosen, HistoryProperties properties) {
        return new JobsHistoryAutoConfiguration().jobsHistorySchema(chosen, properties);
    }

    @Bean
    JobHistory jobsHistory(JobsDatabase chosen, @Qualifier("jobsHistorySchema") ObjectProvider<SchemaChanges> schema) {
        return new JobHistory(new HistoryTables(
                JobsHistoryAutoConfiguration.standard(chosen.source()), SchemaChanges.beforeUse(schema)));
    }
}
