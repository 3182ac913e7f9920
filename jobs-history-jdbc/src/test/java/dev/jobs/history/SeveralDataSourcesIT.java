package dev.jobs.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobCall;
import dev.jobs.JobDefinitionException;
import dev.jobs.batches.Batches;
import dev.jobs.databases.Database;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.spring.JobsDataSource;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.database.CurrentTransaction;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** The history of applications that have several databases. */
@ExtendWith(OutputCaptureExtension.class)
class SeveralDataSourcesIT {

    @AutoClose
    private static final EmbeddedRedis redis = EmbeddedRedis.start();

    @AutoClose
    private final Database one = Database.h2();

    @AutoClose
    private final Database other = Database.h2();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataRedisAutoConfiguration.class,
                    LifecycleAutoConfiguration.class,
                    JobsAutoConfiguration.class,
                    JobsHistoryAutoConfiguration.class,
                    JobsHistoryAbsence.class))
            .withPropertyValues("spring.data.redis.port=" + redis.port(), "jobs.worker.enabled=false");

    @Test
    void theStartSaysThatNoneOfThemHasTheHistory(CapturedOutput output) {
        ApplicationContextRunner two = runner.withBean("one", DataSource.class, one::source)
                .withBean("other", DataSource.class, other::source);
        two.run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(JobHistory.class);
            assertThat(output)
                    .contains("WARN", "Batches and jobs are not recorded")
                    .contains(
                            "of the DataSources [one, other] none is primary. Mark one with @JobsDataSource or @Primary");
        });
    }

    @Test
    void noDataSourceAtAllIsSaidAsWell(CapturedOutput output) {
        runner.run(context -> assertThat(output).contains("there is no DataSource"));
    }

    @Test
    void oneThatIsThereOrTurnedOffIsNothingToSay(CapturedOutput output) {
        runner.withBean(DataSource.class, one::source)
                .run(context -> assertThat(context).hasSingleBean(JobHistory.class));
        runner.withPropertyValues("jobs.history.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(JobHistory.class));
        assertThat(output).doesNotContain("not recorded");
    }

    @Test
    void aRoutingDataSourceHasItInItsDefaultDatabase() {
        ThreadLocal<String> tenant = new ThreadLocal<>();
        AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
            @Override
            protected Object determineCurrentLookupKey() {
                return tenant.get();
            }
        };
        routing.setDefaultTargetDataSource(one.source());
        routing.setTargetDataSources(Map.of("other", other.source()));
        runner.withBean(DataSource.class, () -> routing).run(context -> {
            assertThat(context).hasNotFailed();
            tenant.set("other");
            String batch = new TransactionTemplate(new JdbcTransactionManager(routing))
                    .execute(
                            status -> context.getBean(Batches.class).create("b", each -> each.add(JobCall.named("A"))));
            tenant.remove();

            assertThat(context.getBean(JobHistory.class).task(batch)).isPresent();
        });
    }

    private static AbstractRoutingDataSource withoutDefault(Supplier<@Nullable Object> key, Database... databases) {
        AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
            @Override
            protected @Nullable Object determineCurrentLookupKey() {
                return key.get();
            }
        };
        Map<Object, Object> targets = new HashMap<>();
        for (Database each : databases) {
            targets.put(each.url(), each.source());
        }
        routing.setTargetDataSources(targets);
        return routing;
    }

    /** Its threads have no tenant. */
    @ParameterizedTest
    @ValueSource(strings = {"embedded", "always"})
    void oneThatChoosesNoneForTheHistoryEndsTheStartWithTheWayOut(String mode) {
        runner.withBean(DataSource.class, () -> withoutDefault(() -> null, one, other))
                .withPropertyValues("jobs.history.initialize-schema=" + mode)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .asInstanceOf(InstanceOfAssertFactories.throwable(JobDefinitionException.class))
                        .hasMessageContaining("chooses no database for the threads of the history")
                        .extracting(JobDefinitionException::action)
                        .asString()
                        .contains("setDefaultTargetDataSource", "@JobsDataSource", "jobs.history.enabled"));
    }

    /** As one that tells transactions that only read from others. */
    @Test
    void oneThatChoosesByItselfNeedsNoDefault() {
        runner.withBean(DataSource.class, () -> withoutDefault(one::url, one, other))
                .run(context -> {
                    String batch = context.getBean(Batches.class).create("b", each -> each.add(JobCall.named("A")));
                    assertThat(new JobHistory(new HistoryTables(one.source())).task(batch))
                            .isPresent();
                });
    }

    @Test
    void theMarkedOneHasIt() {
        ApplicationContextRunner marked = runner.withBean(
                        "one", DataSource.class, one::source, bean -> bean.setPrimary(true))
                .withBean("other", DataSource.class, other::source, bean -> {
                    AbstractBeanDefinition definition = (AbstractBeanDefinition) bean;
                    definition.setDefaultCandidate(false);
                    definition.addQualifier(new AutowireCandidateQualifier(JobsDataSource.class));
                });
        marked.run(context -> {
            assertThat(context).hasNotFailed();
            String batch = context.getBean(Batches.class).create("b", each -> each.add(JobCall.named("A")));

            assertThat(new JobHistory(new HistoryTables(other.source())).task(batch))
                    .isPresent();
        });
    }

    @Test
    void aBatchIsRecordedInATransactionThatOnlyReadsFromIt() {
        runner.withBean(DataSource.class, one::source).run(context -> {
            Batches batches = context.getBean(Batches.class);
            JobHistory history = context.getBean(JobHistory.class);
            String batch = new TransactionTemplate(new JdbcTransactionManager(other.source())).execute(status -> {
                assertThat(history.tasks(TaskSearch.all(), null, 1).items()).isEmpty();
                return batches.create("b", each -> each.add(JobCall.named("A")));
            });

            assertThat(history.task(batch)).isPresent();
        });
    }

    @Test
    void aBatchIsRecordedInATransactionThatReadsThroughAPoolWithoutAutoCommit() {
        DataSource pool = one.withoutAutoCommit();
        runner.withBean(DataSource.class, () -> pool)
                .withBean(JdbcTransactionManager.class, () -> new JdbcTransactionManager(other.source()))
                .withPropertyValues("jobs.history.initialize-schema=always")
                .run(context -> {
                    JobHistory history = context.getBean(JobHistory.class);
                    TransactionTemplate transaction =
                            new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
                    String batch = transaction.execute(status -> {
                        assertThat(history.tasks(TaskSearch.all(), null, 1).items())
                                .isEmpty();
                        return context.getBean(Batches.class).create("b", each -> each.add(JobCall.named("A")));
                    });

                    assertThat(history.task(batch)).isPresent();
                });
    }

    /** Whose connection is bound to the thread all the while. */
    @Test
    void aBatchIsRecordedThoughATransactionAroundItsOwnRollsBack() {
        runner.withBean(DataSource.class, one::source)
                .withBean("outer", JdbcTransactionManager.class, () -> new JdbcTransactionManager(one.source()))
                .withBean("inner", JdbcTransactionManager.class, () -> new JdbcTransactionManager(other.source()))
                .run(context -> {
                    JdbcTransactionManager outer = context.getBean("outer", JdbcTransactionManager.class);
                    JdbcTransactionManager inner = context.getBean("inner", JdbcTransactionManager.class);
                    String batch = new TransactionTemplate(outer).execute(around -> {
                        around.setRollbackOnly();
                        return new TransactionTemplate(inner).execute(status -> context.getBean(Batches.class)
                                .create("b", each -> each.add(JobCall.named("A"))));
                    });

                    assertThat(context.getBean(JobHistory.class).task(batch)).isPresent();
                });
    }

    /** On its connection each statement commits by itself: what has failed half would be half there. */
    @Test
    void aTransactionThatOnlyReadsFromItIsNotJoined() {
        CurrentTransaction current = new CurrentTransaction();
        JdbcTemplate database = new JdbcTemplate(one.source());
        new TransactionTemplate(new JdbcTransactionManager(other.source())).executeWithoutResult(status -> {
            assertThat(current.isOf(one.source())).isFalse();
            database.queryForObject("select 1", Integer.class);
            assertThat(current.isOf(one.source())).isFalse();
        });
        TransactionTemplate inner = new TransactionTemplate(new JdbcTransactionManager(other.source()));
        inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        new TransactionTemplate(new JdbcTransactionManager(other.source())).executeWithoutResult(status -> {
            database.queryForObject("select 1", Integer.class);
            inner.executeWithoutResult(suspended -> {}); // gives the connection back meanwhile
            assertThat(current.isOf(one.source())).isFalse();
        });
        new TransactionTemplate(new JdbcTransactionManager(one.source()))
                .executeWithoutResult(
                        status -> assertThat(current.isOf(one.source())).isTrue());
    }
}
