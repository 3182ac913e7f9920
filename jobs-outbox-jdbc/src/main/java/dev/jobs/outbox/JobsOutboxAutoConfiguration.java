package dev.jobs.outbox;

import dev.jobs.client.Outbox;
import dev.jobs.client.RedisBatches;
import dev.jobs.redis.OutboxPushes;
import dev.jobs.redis.RedisConnections;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;

/** Auto-configuration of the outbox, for {@code jobs.transactions: outbox}, in the application's primary database. */
@AutoConfiguration(
        before = JobsAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "jobs.enabled", matchIfMissing = true)
@ConditionalOnProperty(name = "jobs.transactions", havingValue = "outbox")
@ConditionalOnSingleCandidate(DataSource.class)
@ConditionalOnMissingBean(Outbox.class)
@EnableConfigurationProperties(OutboxProperties.class)
@ImportRuntimeHints(OutboxHints.class)
public final class JobsOutboxAutoConfiguration {

    @Bean
    OutboxTable jobsOutboxTable(DataSource database, OutboxProperties properties) {
        return new OutboxTable(database, properties.lanes());
    }

    @Bean
    OutboxPushes jobsOutboxPushes(RedisConnections redis) {
        return new OutboxPushes(redis);
    }

    @Bean
    @ConditionalOnBooleanProperty(name = "jobs.outbox.relay", matchIfMissing = true)
    OutboxRelay jobsOutboxRelay(
            OutboxTable table, OutboxPushes pushes, ObjectProvider<RedisBatches> batches, OutboxProperties properties) {
        return new OutboxRelay(
                table,
                pushes,
                batch -> batches.getObject().commit(batch),
                properties.acknowledgement(),
                properties.pollInterval());
    }

    @Bean
    Outbox jobsOutbox(DataSource database, OutboxTable table, ObjectProvider<OutboxRelay> relay) {
        return new JdbcOutbox(database, table, Clock.systemUTC(), () -> relay.ifAvailable(OutboxRelay::wake));
    }

    @Bean
    OutboxFindings jobsOutboxFindings(OutboxTable table) {
        return new OutboxFindings(table, Clock.systemUTC());
    }

    /** Meters of the backlog. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    @ConditionalOnBean(MeterRegistry.class)
    static class Meters {

        private static final Duration REFRESHED = Duration.ofSeconds(5);

        @Bean
        OutboxGauges jobsOutboxGauges(OutboxTable table, MeterRegistry meters) {
            return new OutboxGauges(table, meters, Clock.systemUTC(), REFRESHED);
        }
    }
}
