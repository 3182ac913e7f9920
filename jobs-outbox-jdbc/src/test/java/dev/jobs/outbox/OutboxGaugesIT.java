package dev.jobs.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobClient;
import dev.jobs.databases.Database;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The meters of the outbox, as an application has them. */
class OutboxGaugesIT {

    @AutoClose
    private static final EmbeddedRedis redis = EmbeddedRedis.start();

    @AutoClose
    private static final Database database = Database.h2();

    private static final CountDownLatch over = new CountDownLatch(1);

    /** As one that doesn't answer the thread of the meters, until the end of the test. */
    private static final class Silent extends DelegatingDataSource {

        Silent(DataSource original) {
            super(original);
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (Thread.currentThread().getName().startsWith("jobs-outbox-metrics")) {
                try {
                    over.await();
                } catch (InterruptedException e) {
                    throw new SQLException("interrupted", e);
                }
            }
            return super.getConnection();
        }
    }

    /** As auto-configuration is found by its name, so that its nested classes come in the order of the class file. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataRedisAutoConfiguration.class,
        LifecycleAutoConfiguration.class,
        JobsAutoConfiguration.class,
        JobsOutboxAutoConfiguration.class
    })
    static class Application {}

    private static ApplicationContextRunner on(DataSource source) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of())
                .withUserConfiguration(Application.class)
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean(DataSource.class, () -> source)
                .withPropertyValues(
                        "spring.data.redis.port=" + redis.port(),
                        "jobs.worker.enabled=false",
                        "jobs.transactions=outbox",
                        "jobs.outbox.relay=false");
    }

    private static double value(MeterRegistry meters, String name) {
        return meters.get(name).gauge().value();
    }

    @Test
    void theyShowWhatWaits() {
        on(database.source()).run(context -> {
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            new TransactionTemplate(new JdbcTransactionManager(context.getBean(DataSource.class)))
                    .executeWithoutResult(
                            transaction -> context.getBean(JobClient.class).enqueue("Mail"));

            await().untilAsserted(
                            () -> assertThat(value(meters, "jobs.outbox.size")).isEqualTo(1));
            assertThat(value(meters, "jobs.outbox.age")).isNotNegative();
        });
    }

    @LongTest
    @Test
    void aDatabaseThatIsSilentHoldsUpNoScrape() {
        on(new Silent(database.source())).run(context -> {
            MeterRegistry meters = context.getBean(MeterRegistry.class);

            assertThat(value(meters, "jobs.outbox.size")).isNaN();
            assertThat(value(meters, "jobs.outbox.age")).isNaN();
            over.countDown();
        });
    }

    @Test
    void aReadingThatIsOldIsNotShown() {
        try (Database empty = Database.h2()) {
            OutboxContract.createTables(empty);
            AtomicLong nanos = new AtomicLong();
            MeterRegistry meters = new SimpleMeterRegistry();
            OutboxGauges gauges =
                    new OutboxGauges(new OutboxDatabases(empty.source(), 1), meters, Clock.systemUTC(), nanos::get);

            gauges.refresh();
            nanos.addAndGet(OutboxGauges.VALID.toNanos());
            assertThat(value(meters, "jobs.outbox.size")).isZero();
            nanos.incrementAndGet();
            assertThat(value(meters, "jobs.outbox.size")).isNaN();
            assertThat(value(meters, "jobs.outbox.age")).isNaN();
        }
    }

    @Test
    void anApplicationThatIsTurnedOffHasNone() {
        on(database.source())
                .withPropertyValues("jobs.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(OutboxGauges.class));
    }
}
