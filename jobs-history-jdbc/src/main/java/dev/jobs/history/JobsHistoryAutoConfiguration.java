package dev.jobs.history;

import dev.jobs.ArgumentMasking;
import dev.jobs.JobDefinitionException;
import dev.jobs.batches.BatchArchiving;
import dev.jobs.redis.RedisConnections;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.checks.ConfiguredNames;
import dev.jobs.spring.autoconfigure.checks.ConfiguredNames.Kind;
import dev.jobs.spring.autoconfigure.database.ConditionalOnJobsDatabase;
import dev.jobs.spring.autoconfigure.database.CurrentTransaction;
import dev.jobs.spring.autoconfigure.database.JobsDatabase;
import dev.jobs.spring.autoconfigure.database.SchemaChanges;
import dev.jobs.threads.BackgroundLoop;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.SQLException;
import java.time.Clock;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.util.ClassUtils;

/** Auto-configuration of the history, in the application's single or primary database, or the marked one. */
@AutoConfiguration(
        before = JobsAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "jobs.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty(name = "jobs.history.enabled", matchIfMissing = true)
@ConditionalOnJobsDatabase
@ConditionalOnMissingBean(JobHistory.class)
@EnableConfigurationProperties(HistoryProperties.class)
@Import(JobsDatabase.Choice.class)
@ImportRuntimeHints(HistoryHints.class)
public final class JobsHistoryAutoConfiguration {

    @Bean
    SchemaChanges jobsHistorySchema(JobsDatabase chosen, HistoryProperties properties) {
        return new SchemaChanges(
                "history", List.of(standard(chosen.source())), properties.initializeSchema(), failure -> false);
    }

    @Bean
    HistoryTables jobsHistoryTables(
            JobsDatabase chosen, @Qualifier("jobsHistorySchema") ObjectProvider<SchemaChanges> schema) {
        return new HistoryTables(standard(chosen.source()), SchemaChanges.beforeUse(schema));
    }

    /**
     * The default of a DataSource that chooses a database for each transaction: the history is written and read by
     * threads that have none. Without a default it has to choose one for them by itself.
     *
     * @throws JobDefinitionException if it chooses none
     */
    static DataSource standard(DataSource database) {
        AbstractRoutingDataSource routing = DataSourceUnwrapper.unwrap(database, AbstractRoutingDataSource.class);
        if (routing == null) {
            return database;
        }
        DataSource standard = routing.getResolvedDefaultDataSource();
        if (standard != null) {
            return standard(standard);
        }
        try {
            routing.isWrapperFor(JobHistory.class); // asks what it chooses, and opens no connection
        } catch (SQLException e) {
            // of the database that it chose
        } catch (RuntimeException e) {
            throw new JobDefinitionException(
                    ClassUtils.getUserClass(routing).getName()
                            + " chooses no database for the threads of the history, which have no transaction of the "
                            + "application: " + e.getMessage(),
                    "Give it one with setDefaultTargetDataSource, mark another DataSource with @JobsDataSource, or set "
                            + "jobs.history.enabled to false.");
        }
        return database;
    }

    @Bean
    JobHistory jobsHistory(HistoryTables tables) {
        return new JobHistory(tables);
    }

    @Bean
    HistoryJournal jobsHistoryJournal(HistoryTables tables, CurrentTransaction transaction, ArgumentMasking masking) {
        return new HistoryJournal(tables, transaction, masking, Clock.systemUTC());
    }

    @Bean
    HistoryWriter jobsHistoryWriter(HistoryTables tables, HistoryProperties properties) {
        return new HistoryWriter(tables, Clock.systemUTC(), properties.interval());
    }

    @Bean
    HistoryRecorder jobsHistoryRecorder(HistoryWriter writer, ArgumentMasking masking, HistoryProperties properties) {
        return new HistoryRecorder(writer, masking, Clock.systemUTC(), properties.jobs(), properties.queues());
    }

    @Bean
    ConfiguredNames jobsHistoryJobs(HistoryProperties properties) {
        return new ConfiguredNames("jobs.history.jobs", Kind.JOB, properties.jobs());
    }

    @Bean
    ConfiguredNames jobsHistoryQueues(HistoryProperties properties) {
        return new ConfiguredNames("jobs.history.queues", Kind.QUEUE, properties.queues());
    }

    @Bean
    BatchArchiving jobsBatchArchiving(RedisConnections redis) {
        return new BatchArchiving(redis);
    }

    @Bean
    @DependsOn("jobsHistorySchema")
    @DependsOnDatabaseInitialization
    HistoryLifecycle jobsHistoryLifecycle(
            HistoryTables tables, HistoryWriter writer, BatchArchiving redis, HistoryProperties properties) {
        Clock clock = Clock.systemUTC();
        HistoryCopier copier = new HistoryCopier(tables, redis, clock, properties.interval());
        HistoryRetention retention = new HistoryRetention(tables, clock, properties.retention());
        return new HistoryLifecycle(() -> List.of(
                new BackgroundLoop("jobs-history-writer", "Writing the history", writer),
                new BackgroundLoop("jobs-history-copier", "Copying batches to the history", copier),
                new BackgroundLoop("jobs-history-retention", "Deleting old history", retention)));
    }

    /** Meters of the history. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    @ConditionalOnBean(MeterRegistry.class)
    static class Meters {

        /** No bean needs it, and it registers the meters when it is created. */
        @Bean
        @Lazy(false)
        HistoryGauges jobsHistoryGauges(HistoryWriter writer, MeterRegistry meters) {
            return new HistoryGauges(writer, meters);
        }
    }
}
