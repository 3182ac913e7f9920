package dev.jobs.outbox;

import dev.jobs.batches.RedisBatches;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.redis.RedisConnections;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.database.ConditionalOnJobsDatabase;
import dev.jobs.spring.autoconfigure.database.CurrentTransaction;
import dev.jobs.spring.autoconfigure.database.JobsDatabase;
import dev.jobs.spring.autoconfigure.database.SchemaChanges;
import dev.jobs.spring.autoconfigure.gauges.GaugeRefreshes;
import dev.jobs.transactions.Outbox;
import dev.jobs.transactions.OutboxPushes;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;

/**
 * Auto-configuration of the outbox, for {@code jobs.transactions: outbox}, in the application's single or primary
 * database, or the marked one.
 */
@AutoConfiguration(
        before = JobsAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnProperty(name = "jobs.transactions", havingValue = "outbox")
@ConditionalOnJobsDatabase
@ConditionalOnMissingBean(Outbox.class)
@EnableConfigurationProperties(OutboxProperties.class)
@Import(JobsDatabase.Choice.class)
@ImportRuntimeHints(OutboxHints.class)
public final class JobsOutboxAutoConfiguration {

    @Bean
    OutboxTable jobsOutboxTable(JobsDatabase database, OutboxProperties properties) {
        return new OutboxTable(database.source(), properties.lanes());
    }

    /** Also if jobs are turned off: a row of a transaction is one either way, and waits for another application. */
    @Bean
    Outbox jobsOutbox(
            JobsDatabase database,
            CurrentTransaction transaction,
            OutboxTable table,
            ObjectProvider<OutboxRelays> relays,
            @Qualifier("jobsOutboxSchema") ObjectProvider<DataSourceScriptDatabaseInitializer> schema) {
        return new JdbcOutbox(
                database.source(), transaction, table, Clock.systemUTC(), relays, SchemaChanges.beforeUse(schema));
    }

    @Bean
    OutboxPushes jobsOutboxPushes(RedisConnections redis) {
        return new OutboxPushes(redis);
    }

    /** What runs by itself. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "jobs.enabled", matchIfMissing = true)
    static class Running {

        @Bean
        OutboxDatabases jobsOutboxDatabases(JobsDatabase database, OutboxProperties properties) {
            return new OutboxDatabases(database.source(), properties.lanes());
        }

        /** One of several databases may be a copy for reading, which gets its tables from the original. */
        @Bean
        DataSourceScriptDatabaseInitializer jobsOutboxSchema(OutboxDatabases databases, OutboxProperties properties) {
            return new SchemaChanges(
                    "outbox",
                    databases.sources(),
                    properties.initializeSchema(),
                    failure -> databases.sources().size() > 1 && OutboxTable.isReadOnly(failure));
        }

        @Bean
        @DependsOn("jobsOutboxSchema")
        @DependsOnDatabaseInitialization
        @ConditionalOnBooleanProperty(name = "jobs.outbox.relay", matchIfMissing = true)
        OutboxRelays jobsOutboxRelays(
                OutboxDatabases databases,
                OutboxPushes pushes,
                ObjectProvider<RedisBatches> batches,
                OutboxProperties properties) {
            return new OutboxRelays(
                    databases,
                    (name, table, reached) -> new OutboxRelay(
                            name,
                            table,
                            pushes,
                            batch -> batches.getObject().commit(batch),
                            properties.acknowledgement(),
                            properties.pollInterval(),
                            reached),
                    properties.pollInterval());
        }

        @Bean
        OutboxFindings jobsOutboxFindings(OutboxDatabases databases) {
            return new OutboxFindings(databases, Clock.systemUTC());
        }
    }

    /** Meters of the backlog. Spring may look at this class before it knows the beans of the one above. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    @ConditionalOnBean(MeterRegistry.class)
    @ConditionalOnBooleanProperty(name = "jobs.enabled", matchIfMissing = true)
    static class Meters {

        @Bean
        OutboxGauges jobsOutboxGauges(OutboxDatabases databases, MeterRegistry meters, EngineEnvironment environment) {
            return new OutboxGauges(databases, meters, Clock.systemUTC(), environment.nanoTime());
        }

        @Bean
        GaugeRefreshes jobsOutboxGaugeRefresh(OutboxGauges gauges) {
            return gauges.refreshes();
        }
    }
}
