package dev.jobs.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.InvalidJobException;
import dev.jobs.JobClient;
import dev.jobs.JobDefinitionException;
import dev.jobs.databases.Database;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The outbox of applications whose transactions choose a database, and of those that are turned off. */
class RoutedOutboxIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @AutoClose
    private static final EmbeddedRedis redis = EmbeddedRedis.start();

    @AutoClose
    private static final Database one = Database.h2();

    @AutoClose
    private static final Database other = Database.h2();

    static {
        OutboxContract.createTables(one);
        OutboxContract.createTables(other);
    }

    private static final ThreadLocal<String> tenant = new ThreadLocal<>();

    @AfterAll
    static void forget() {
        tenant.remove();
    }

    static class Tenants extends AbstractRoutingDataSource {

        Tenants(@Nullable DataSource standard, Map<Object, Object> databases) {
            if (standard != null) {
                setDefaultTargetDataSource(standard);
            }
            setTargetDataSources(databases);
            afterPropertiesSet();
        }

        @Override
        protected Object determineCurrentLookupKey() {
            return tenant.get();
        }
    }

    /** As one for reading, whose connections refuse to lock or write. */
    private static final class Copy extends DelegatingDataSource {

        Copy(DataSource original) {
            super(original);
        }

        @Override
        public Connection getConnection() throws SQLException {
            throw new SQLException("cannot execute SELECT FOR UPDATE in a read-only transaction", "25006");
        }
    }

    private static ApplicationContextRunner on(Supplier<DataSource> database) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataRedisAutoConfiguration.class,
                        LifecycleAutoConfiguration.class,
                        JobsAutoConfiguration.class,
                        JobsOutboxAutoConfiguration.class))
                .withBean(DataSource.class, database)
                .withPropertyValues(
                        "spring.data.redis.port=" + redis.port(),
                        "jobs.worker.enabled=false",
                        "jobs.transactions=outbox",
                        "jobs.outbox.poll-interval=10m");
    }

    private static void enqueue(ApplicationContext context, String name) {
        new TransactionTemplate(new JdbcTransactionManager(context.getBean(DataSource.class)))
                .executeWithoutResult(
                        status -> context.getBean(JobClient.class).queue(name).enqueue("A"));
    }

    private static long waiting(ApplicationContext context, String queue) {
        Long size = context.getBean(StringRedisTemplate.class).opsForList().size("queue:" + queue);
        return size == null ? 0 : size;
    }

    private static long rows(Database database) {
        return new OutboxTable(database.source(), 1).backlog().jobs();
    }

    @Test
    void jobsOfEachDatabaseAreRelayed() {
        on(() -> new LazyConnectionDataSourceProxy(
                        new Tenants(one.source(), Map.of("other", other.source(), "copy", new Copy(one.source())))))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    enqueue(context, "one");
                    tenant.set("other");
                    enqueue(context, "other");
                    tenant.remove();

                    await().atMost(PATIENCE)
                            .until(() -> waiting(context, "one") == 1 && waiting(context, "other") == 1);
                    await().atMost(PATIENCE).until(() -> rows(one) + rows(other) == 0);
                });
    }

    @Test
    void aDatabaseThatIsAddedLaterIsRelayedFromItsFirstCommitOn() {
        Tenants tenants = new Tenants(one.source(), Map.of());
        on(() -> tenants).run(context -> {
            try (Database later = Database.h2()) {
                OutboxContract.createTables(later);
                tenants.setTargetDataSources(Map.of("later", later.source()));
                tenants.afterPropertiesSet();
                tenant.set("later");
                enqueue(context, "later");
                tenant.remove();

                await().atMost(PATIENCE).until(() -> waiting(context, "later") == 1);
                await().atMost(PATIENCE).until(() -> rows(later) == 0);
                assertThat(context.getBean(OutboxDatabases.class).tables()).containsOnlyKeys("/later", "/default");
                context.getBean(OutboxRelays.class).stop();
            }
        });
    }

    /** As after a start, when the databases are listed later than that, and one has rows of an earlier life. */
    @Test
    void soAreTheRowsThatAreThereAlready() {
        Tenants none = new Tenants(null, Map.of());
        on(() -> none).withPropertyValues("jobs.outbox.poll-interval=10ms").run(context -> {
            assertThat(context).hasNotFailed();
            on(() -> one.source())
                    .withPropertyValues("jobs.outbox.relay=false")
                    .run(earlier -> enqueue(earlier, "earlier"));
            none.setTargetDataSources(Map.of("one", one.source()));
            none.afterPropertiesSet();

            await().atMost(PATIENCE).until(() -> waiting(context, "earlier") == 1);
            await().atMost(PATIENCE).until(() -> rows(one) == 0);
        });
    }

    /** Chooses by itself, and can't be asked among which. */
    private static final class Own extends AbstractDataSource {

        @Override
        public Connection getConnection() throws SQLException {
            return (tenant.get() == null ? one : other).source().getConnection();
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }
    }

    @Test
    void jobsInADatabaseThatNoRelayLooksAtAreRefused() {
        on(Own::new).run(context -> {
            enqueue(context, "own");
            await().atMost(PATIENCE).until(() -> waiting(context, "own") == 1);
            tenant.set("other");

            assertThatThrownBy(() -> enqueue(context, "own"))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining(other.url().replaceAll(";.*", ""))
                    .hasMessageContaining("AbstractRoutingDataSource");
            tenant.remove();
            assertThat(rows(other)).isZero();
        });
    }

    /** An application that relays nothing leaves all of them to another one. */
    @Test
    void anApplicationWithoutARelayIsAskedNothing() {
        on(Own::new).withPropertyValues("jobs.outbox.relay=false").run(context -> {
            tenant.set("other");
            enqueue(context, "asked");
            tenant.remove();

            assertThat(rows(other)).isOne();
            new JdbcTemplate(other.source()).update("delete from jobs_outbox");
        });
    }

    @Test
    void whatWaitsIsCountedOnceInEachDatabase() {
        OutboxDatabases databases = new OutboxDatabases(
                new Tenants(one.source(), Map.of("other", other.source(), "same", one.source())), 1);
        assertThat(databases.tables()).containsOnlyKeys("/other", "/same");
        databases.tables().values().forEach(OutboxTable::createLanes);
        on(() -> one.source())
                .withPropertyValues("jobs.outbox.relay=false")
                .run(context -> enqueue(context, "counted"));

        OutboxDatabases twice = new OutboxDatabases(
                new Tenants(
                        new DelegatingDataSource(one.source()), Map.of("other", other.source(), "same", one.source())),
                1);
        assertThat(twice.tables()).hasSize(3);
        assertThat(twice.backlog().jobs()).isOne();
        assertThat(twice.backlog().oldest()).isNotNull();
        new JdbcTemplate(one.source()).update("delete from jobs_outbox");
    }

    /** As an aspect around it makes: a subclass with all its methods. */
    @Test
    void aProxyOfARoutingDataSourceChoosesAsThatDoes() {
        ProxyFactory proxy = new ProxyFactory(new Tenants(one.source(), Map.of("other", other.source())));
        proxy.setProxyTargetClass(true);

        OutboxDatabases databases = new OutboxDatabases((DataSource) proxy.getProxy(), 1);

        assertThat(databases.tables()).containsOnlyKeys("/other", "/default");
    }

    @Test
    void databasesThatCannotBeKnownAreRefused() {
        on(() -> new AbstractRoutingDataSource() {
                    @Override
                    protected Object determineCurrentLookupKey() {
                        return "any";
                    }

                    @Override
                    public void afterPropertiesSet() {}

                    @Override
                    protected DataSource determineTargetDataSource() {
                        return one.source();
                    }
                })
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasRootCauseInstanceOf(JobDefinitionException.class)
                        .hasStackTraceContaining("it is unknown in which databases jobs wait in the outbox"));
    }

    @Test
    void anApplicationThatIsTurnedOffKeepsJobsAndRelaysNone() {
        on(() -> one.source()).withPropertyValues("jobs.enabled=false").run(context -> {
            assertThat(context).hasNotFailed();
            enqueue(context, "off");

            assertThat(rows(one)).isOne();
            assertThat(context).doesNotHaveBean(OutboxRelays.class);
        });
        on(() -> one.source()).run(context -> {
            await().atMost(PATIENCE).until(() -> waiting(context, "off") == 1);
            await().atMost(PATIENCE).until(() -> rows(one) == 0);
        });
    }

    @Test
    void anApplicationThatIsTurnedOffStartsWithoutAnOutbox() {
        on(() -> one.source())
                .withBean("second", DataSource.class, other::source)
                .withPropertyValues("jobs.enabled=false")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(one.source()));
                    JobClient jobs = context.getBean(JobClient.class);
                    assertThatThrownBy(() -> transaction.executeWithoutResult(status -> jobs.enqueue("A")))
                            .hasMessageContaining("there is no outbox");
                });
    }
}
