package dev.jobs.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobClient;
import dev.jobs.batches.Batches;
import dev.jobs.databases.Database;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The history of an application whose beans are lazy. */
class LazyBeansIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @AutoClose
    private final EmbeddedRedis redis = EmbeddedRedis.start();

    @AutoClose
    private final Database database = Database.h2();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataRedisAutoConfiguration.class,
                    LifecycleAutoConfiguration.class,
                    JobsAutoConfiguration.class,
                    JobsHistoryAutoConfiguration.class,
                    JobsHistoryTurnedOff.class))
            .withBean(DataSource.class, database::source)
            .withInitializer(
                    context -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
            .withPropertyValues(
                    "spring.data.redis.port=" + redis.port(),
                    "jobs.history.initialize-schema=always",
                    "jobs.history.interval=50ms",
                    "jobs.history.jobs=Shop.en*",
                    "jobs.encryption.keys.k1=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");

    @Test
    void isWrittenAndHasItsMeters() {
        runner.withUserConfiguration(Shop.Beans.class)
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(MeterRegistry.class).getMeters())
                            .extracting(meter -> meter.getId().getName())
                            .contains("jobs.history.waiting", "jobs.history.dropped");
                    JobClient jobs = context.getBean(JobClient.class);
                    String jid = jobs.enqueue(Shop::enroll, 1L);
                    JobHistory history = context.getBean(JobHistory.class);
                    await().atMost(PATIENCE).until(() -> history.event(jid).isPresent());
                });
    }

    @Test
    void isReadWhereJobsAreTurnedOff() {
        runner.withPropertyValues("jobs.enabled=false").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(JobHistory.class).event("a job")).isEmpty();
        });
    }

    record Migration(Batches batches) {}

    /** As Flyway's migrations come before scripts of Spring Boot. */
    @Test
    void whatTheTablesWaitForMayInjectBatches() {
        runner.withBean("migration", Migration.class)
                .withInitializer(context -> context.addBeanFactoryPostProcessor(
                        beans -> beans.getBeanDefinition("jobsHistorySchema").setDependsOn("migration")))
                .run(context -> assertThat(context).hasNotFailed());
    }
}
