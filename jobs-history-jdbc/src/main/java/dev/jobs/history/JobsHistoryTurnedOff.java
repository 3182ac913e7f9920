package dev.jobs.history;

import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.context.annotation.Bean;

/** What applications inject, for one that is turned off: it reads the history and writes nothing to it. */
@AutoConfiguration(after = JobsHistoryAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "jobs.enabled", havingValue = false)
@ConditionalOnBooleanProperty(name = "jobs.history.enabled", matchIfMissing = true)
@ConditionalOnSingleCandidate(DataSource.class)
@ConditionalOnMissingBean(JobHistory.class)
@EnableConfigurationProperties(HistoryProperties.class)
final class JobsHistoryTurnedOff {

    @Bean
    DataSourceScriptDatabaseInitializer jobsHistorySchema(DataSource database, HistoryProperties properties) {
        return new JobsHistoryAutoConfiguration().jobsHistorySchema(database, properties);
    }

    @Bean
    JobHistory jobHistory(DataSource database) {
        return new JobHistory(new HistoryTables(JobsHistoryAutoConfiguration.standard(database)));
    }
}
