package dev.jobs.off;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.InvalidJobException;
import dev.jobs.JobClient;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.Batches;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.history.JobHistory;
import dev.jobs.history.TaskSearch;
import dev.jobs.limiters.Limiters;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.shards.spring.JobShards;
import dev.jobs.spring.web.BatchProgress;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;

/** An application with all modules that is turned off, as in a profile without Redis. */
class TurnedOffTests {

    /** Those of other tests in this JVM. */
    private final Set<Thread> before = Thread.getAllStackTraces().keySet();

    private static final List<Class<?>> MODULES = modules();

    private final ApplicationContextRunner plain =
            new ApplicationContextRunner().withConfiguration(all()).withPropertyValues("jobs.enabled=false");

    private final WebApplicationContextRunner mvc =
            new WebApplicationContextRunner().withConfiguration(all()).withPropertyValues("jobs.enabled=false");

    private final ReactiveWebApplicationContextRunner webFlux =
            new ReactiveWebApplicationContextRunner().withConfiguration(all()).withPropertyValues("jobs.enabled=false");

    private static List<Class<?>> modules() {
        ClassLoader loader = TurnedOffTests.class.getClassLoader();
        return ImportCandidates.load(AutoConfiguration.class, loader).getCandidates().stream()
                .filter(name -> name.startsWith("dev.jobs."))
                .<Class<?>>map(name -> ClassUtils.resolveClassName(name, loader))
                .toList();
    }

    private static AutoConfigurations all() {
        return AutoConfigurations.of(Stream.concat(
                        MODULES.stream(),
                        Stream.of(
                                DataRedisAutoConfiguration.class,
                                LifecycleAutoConfiguration.class,
                                MetricsAutoConfiguration.class,
                                CompositeMeterRegistryAutoConfiguration.class))
                .toArray(Class<?>[]::new));
    }

    private static DataSource database(String name) {
        return new DriverManagerDataSource("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1");
    }

    private void assertIsOff(ApplicationContext context) {
        assertThat(context.getBeanProvider(JobEngine.class).getIfAvailable()).isNull();
        assertThat(context.getBeanProvider(EmbeddedRedis.class).getIfAvailable())
                .isNull();
        assertThat(context.getBeansOfType(SmartLifecycle.class).values().stream()
                        .filter(each -> each.getClass().getName().startsWith("dev.jobs."))
                        .map(each -> each.getClass().getSimpleName()))
                .isSubsetOf("BatchStreams", "CommitLifecycle", "FreshIds", "ShardConnections");
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(each -> !before.contains(each))
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("jobs-"));
        for (Class<?> each : List.of(
                JobClient.class,
                Batches.class,
                RecurringJobs.class,
                JobsAdmin.class,
                Limiters.class,
                JobRegistry.class,
                JobShards.class)) {
            assertThat(context.getBean(each)).isNotNull();
        }
    }

    @Test
    void allModulesAreThere() {
        assertThat(MODULES)
                .extracting(Class::getPackageName)
                .contains(
                        "dev.jobs.spring.autoconfigure",
                        "dev.jobs.outbox",
                        "dev.jobs.history",
                        "dev.jobs.dashboard.assembly",
                        "dev.jobs.shards.spring",
                        "dev.jobs.embeddedredis.autoconfigure");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "jobs.transactions=outbox",
                "jobs.transactions=off",
                "jobs.shards.east.url=redis://127.0.0.1:1 jobs.shards.east.queues=a",
                "jobs.worker.enabled=true jobs.recurring.schedules.a.cron=nonsense jobs.recurring.schedules.a.job=Nobody",
                "jobs.queue=misspelt",
                "spring.data.redis.client-type=jedis"
            })
    void startsWithAnyConfiguration(String properties) {
        plain.withPropertyValues(properties.split(" ")).run(this::assertIsOff);
    }

    @Test
    void startsWithWebPages() {
        mvc.run(context -> {
            assertIsOff(context);
            assertThat(context).hasSingleBean(BatchProgress.class);
        });
        webFlux.run(this::assertIsOff);
    }

    @Test
    void jobsOfTransactionsAreRowsForAnotherApplication() {
        DataSource database = database("rows");
        new ResourceDatabasePopulator(new ClassPathResource("dev/jobs/outbox/h2/R__jobs_outbox_001.sql"))
                .execute(database);

        plain.withBean(DataSource.class, () -> database)
                .withPropertyValues("jobs.transactions=outbox")
                .run(context -> {
                    assertIsOff(context);
                    JobClient client = context.getBean(JobClient.class);
                    new TransactionTemplate(new JdbcTransactionManager(database))
                            .executeWithoutResult(status -> client.enqueue("Mail"));
                });

        assertThat(new JdbcTemplate(database).queryForObject("select count(*) from jobs_outbox", Long.class))
                .isEqualTo(1);
    }

    @Test
    void withoutADatabaseForThemJobsOfTransactionsAreRefused() {
        DataSource database = database("several");

        plain.withBean("a", DataSource.class, () -> database)
                .withBean("b", DataSource.class, () -> database("other"))
                .withPropertyValues("jobs.transactions=outbox")
                .run(context -> {
                    assertIsOff(context);
                    JobClient client = context.getBean(JobClient.class);
                    TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(database));
                    assertThatThrownBy(() -> transaction.executeWithoutResult(status -> client.enqueue("Mail")))
                            .isInstanceOf(InvalidJobException.class)
                            .hasMessageContaining("there is no outbox");
                });
    }

    @Test
    void theHistoryCanBeRead() {
        plain.withBean(DataSource.class, () -> database("history")).run(context -> {
            assertIsOff(context);
            assertThat(context.getBean(JobHistory.class)
                            .tasks(TaskSearch.all(), null, 10)
                            .items())
                    .isEmpty();
        });
    }
}
