package dev.jobs.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobClient;
import dev.jobs.databases.Database;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The tables are there before anything needs them, whenever beans are created. */
class EarlyAndLazyBeansIT {

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
                    JobsOutboxAutoConfiguration.class))
            .withBean(DataSource.class, database::source)
            .withBean(JdbcTransactionManager.class, () -> new JdbcTransactionManager(database.source()))
            .withPropertyValues(
                    "spring.data.redis.port=" + redis.port(),
                    "jobs.worker.enabled=false",
                    "jobs.transactions=outbox",
                    "jobs.outbox.initialize-schema=always");

    private void awaitRelayed(ApplicationContext context) {
        StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
        await().atMost(PATIENCE)
                .until(() -> Long.valueOf(1).equals(template.opsForList().size("queue:default")));
    }

    @Test
    void allBeansAreLazy() {
        runner.withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    JobClient jobs = context.getBean(JobClient.class);
                    new TransactionTemplate(context.getBean(JdbcTransactionManager.class))
                            .executeWithoutResult(status -> jobs.enqueue("A"));
                    awaitRelayed(context);
                });
    }

    /** Beans of the application are created before those of the library. */
    record Early(JobClient jobs, JdbcTransactionManager transactions) implements InitializingBean {

        @Override
        public void afterPropertiesSet() {
            new TransactionTemplate(transactions).executeWithoutResult(status -> jobs.enqueue("A"));
        }
    }

    @Test
    void aBeanEnqueuesWhileItIsInitialized() {
        runner.withBean(Early.class).run(context -> {
            assertThat(context).hasNotFailed();
            awaitRelayed(context);
        });
    }

    record Migration(JobClient jobs) {}

    /** As Flyway's migrations come before scripts of Spring Boot. */
    @Test
    void whatTheTablesWaitForMayInjectTheClient() {
        runner.withBean("migration", Migration.class)
                .withInitializer(context -> context.addBeanFactoryPostProcessor(
                        beans -> beans.getBeanDefinition("jobsOutboxSchema").setDependsOn("migration")))
                .run(context -> assertThat(context).hasNotFailed());
    }
}
