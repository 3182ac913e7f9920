package dev.jobs.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.InvalidJobException;
import dev.jobs.JobClient;
import dev.jobs.JobDefinitionException;
import dev.jobs.databases.Database;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.spring.JobsDataSource;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import javax.sql.DataSource;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** The outbox of applications that have several databases. */
class SeveralDataSourcesIT {

    @AutoClose
    private static final EmbeddedRedis redis = EmbeddedRedis.start();

    @AutoClose
    private static final Database main = Database.h2();

    @AutoClose
    private static final Database orders = Database.h2();

    static {
        OutboxContract.createTables(orders);
    }

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataRedisAutoConfiguration.class,
                    LifecycleAutoConfiguration.class,
                    JobsAutoConfiguration.class,
                    JobsOutboxAutoConfiguration.class))
            .withPropertyValues(
                    "spring.data.redis.port=" + redis.port(),
                    "jobs.worker.enabled=false",
                    "jobs.transactions=outbox",
                    "jobs.outbox.relay=false");

    @BeforeEach
    void empty() {
        new JdbcTemplate(orders.source()).update("delete from jobs_outbox");
    }

    @Configuration(proxyBeanMethods = false)
    static class Marked {

        @Bean
        @Primary
        DataSource mainDatabase() {
            return main.source();
        }

        @Bean(defaultCandidate = false)
        @JobsDataSource
        DataSource orderDatabase() {
            return orders.source();
        }
    }

    private static TransactionTemplate transactions(Database database) {
        return new TransactionTemplate(new JdbcTransactionManager(database.source()));
    }

    private static long rows() {
        return new OutboxTable(orders.source(), 1).backlog().jobs();
    }

    @Test
    void theMarkedOneHasTheOutbox() {
        runner.withUserConfiguration(Marked.class).run(context -> {
            assertThat(context).hasNotFailed();
            JobClient jobs = context.getBean(JobClient.class);
            transactions(orders).executeWithoutResult(status -> jobs.enqueue("A"));

            assertThat(rows()).isOne();
        });
    }

    /** As some libraries want it, so that their statements belong to the transaction. */
    @Test
    void itMayHaveAProxyThatTakesPartInTransactions() {
        DataSource proxy = new TransactionAwareDataSourceProxy(orders.source());
        runner.withBean(DataSource.class, () -> proxy)
                .withBean(JdbcTransactionManager.class, () -> new JdbcTransactionManager(proxy))
                .run(context -> {
                    JobClient jobs = context.getBean(JobClient.class);
                    TransactionTemplate transaction =
                            new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
                    transaction.executeWithoutResult(status -> jobs.enqueue("A"));
                    assertThat(rows()).isOne();

                    transaction.executeWithoutResult(status -> {
                        jobs.enqueue("B");
                        status.setRollbackOnly();
                    });
                    assertThat(rows()).isOne();
                });
    }

    /** With the transaction managers that the example in docs/outbox.md leads to. */
    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    static class AsOnThePage extends Marked {

        @Bean
        PlatformTransactionManager transactionManager(DataSource mainDatabase) {
            return new JdbcTransactionManager(mainDatabase);
        }

        @Bean(defaultCandidate = false)
        PlatformTransactionManager orderTransactions(@JobsDataSource DataSource orderDatabase) {
            return new JdbcTransactionManager(orderDatabase);
        }

        @Bean
        MarkedOrders markedOrders(JobClient jobs) {
            return new MarkedOrders(jobs);
        }
    }

    static class MarkedOrders {

        private final JobClient jobs;

        MarkedOrders(JobClient jobs) {
            this.jobs = jobs;
        }

        @Transactional("orderTransactions")
        public void place() {
            jobs.enqueue("A");
        }

        @Transactional
        public void placeElsewhere() {
            jobs.enqueue("A");
        }
    }

    @Test
    void methodsNameItsTransactionManager() {
        runner.withUserConfiguration(AsOnThePage.class).run(context -> {
            assertThat(context).hasNotFailed();
            MarkedOrders shop = context.getBean(MarkedOrders.class);
            shop.place();
            assertThat(rows()).isOne();

            assertThatThrownBy(shop::placeElsewhere).isInstanceOf(InvalidJobException.class);
            assertThat(rows()).isOne();
        });
    }

    @Test
    void aTransactionThatOnlyReadsFromItIsRefused() {
        runner.withUserConfiguration(Marked.class).run(context -> {
            JobClient jobs = context.getBean(JobClient.class);

            assertThatThrownBy(() -> transactions(main).executeWithoutResult(status -> {
                        new JdbcTemplate(orders.source()).queryForList("select * from orders");
                        jobs.enqueue("A");
                    }))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("not one of the outbox's DataSource");
            assertThat(rows()).isZero();
        });
    }

    /** Spring gives its connection back meanwhile. */
    @Test
    void soIsOneThatWasSuspended() {
        runner.withUserConfiguration(Marked.class).run(context -> {
            JobClient jobs = context.getBean(JobClient.class);
            TransactionTemplate inner = transactions(main);
            inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

            assertThatThrownBy(() -> transactions(main).executeWithoutResult(status -> {
                        new JdbcTemplate(orders.source()).queryForList("select * from orders");
                        inner.executeWithoutResult(suspended -> {});
                        jobs.enqueue("A");
                    }))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("not one of the outbox's DataSource");
            assertThat(rows()).isZero();
        });
    }

    private static final class WithoutAutoCommit {

        private static final DataSource pool = orders.withoutAutoCommit();

        @Configuration(proxyBeanMethods = false)
        static class Marked {

            @Bean
            @Primary
            DataSource mainDatabase() {
                return main.source();
            }

            @Bean(defaultCandidate = false)
            @JobsDataSource
            DataSource orderDatabase() {
                return pool;
            }

            @Bean
            PlatformTransactionManager transactionManager(DataSource mainDatabase) {
                return new JdbcTransactionManager(mainDatabase);
            }

            @Bean(defaultCandidate = false)
            PlatformTransactionManager orderTransactions(@JobsDataSource DataSource orderDatabase) {
                return new JdbcTransactionManager(orderDatabase);
            }
        }
    }

    /** What it reads with doesn't commit by itself either, so this tells nothing. */
    @Test
    void soIsOneThatOnlyReadsThroughAPoolWithoutAutoCommit() {
        runner.withUserConfiguration(WithoutAutoCommit.Marked.class).run(context -> {
            assertThat(context).hasNotFailed();
            JobClient jobs = context.getBean(JobClient.class);

            assertThatThrownBy(() -> transaction(context, "transactionManager").executeWithoutResult(status -> {
                        new JdbcTemplate(WithoutAutoCommit.pool).queryForList("select * from orders");
                        jobs.enqueue("A");
                    }))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("not one of the outbox's DataSource");
            transaction(context, "orderTransactions").executeWithoutResult(status -> jobs.enqueue("B"));
            assertThat(rows()).isOne();
        });
    }

    private static TransactionTemplate transaction(ApplicationContext context, String manager) {
        return new TransactionTemplate(context.getBean(manager, PlatformTransactionManager.class));
    }

    /** The connection of the outer one is bound to the thread all the while. */
    @Test
    void soIsOneThatBeginsWithinOneOfTheOutbox() {
        runner.withUserConfiguration(AsOnThePage.class).run(context -> {
            JobClient jobs = context.getBean(JobClient.class);
            TransactionTemplate nested = transaction(context, "orderTransactions");
            nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);

            transaction(context, "orderTransactions").executeWithoutResult(outer -> {
                jobs.enqueue("A");
                TransactionTemplate inner = transaction(context, "transactionManager");
                assertThatThrownBy(() -> inner.executeWithoutResult(status -> jobs.enqueue("B")))
                        .isInstanceOf(InvalidJobException.class)
                        .hasMessageContaining("not one of the outbox's DataSource");
                nested.executeWithoutResult(status -> jobs.enqueue("C"));
            });
            assertThat(new JdbcTemplate(orders.source()).queryForList("select jid from jobs_outbox"))
                    .hasSize(2);
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class AnotherMarked {

        @Bean(defaultCandidate = false)
        @JobsDataSource
        DataSource another() {
            return main.source();
        }
    }

    @Test
    void onlyOneMayBeMarked() {
        runner.withUserConfiguration(Marked.class, AnotherMarked.class).run(context -> assertThat(context)
                .getFailure()
                .hasRootCauseInstanceOf(JobDefinitionException.class)
                .hasStackTraceContaining("Several DataSources have @JobsDataSource: [orderDatabase, another]"));
    }

    @Test
    void theStartFailsIfNoneCanBeChosen() {
        runner.withBean("one", DataSource.class, main::source)
                .withBean("other", DataSource.class, orders::source)
                .run(
                        context -> assertThat(context)
                                .getFailure()
                                .rootCause()
                                .asInstanceOf(InstanceOfAssertFactories.throwable(JobDefinitionException.class))
                                .hasMessage(
                                        "jobs.transactions is 'outbox', and there is no outbox: of the DataSources [one, other] none is primary")
                                .extracting(JobDefinitionException::action)
                                .isEqualTo(
                                        "Mark one with @JobsDataSource or @Primary, or set jobs.transactions to after-commit."));
    }

    @Test
    void soItDoesWithoutADataSource() {
        runner.run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .asInstanceOf(InstanceOfAssertFactories.throwable(JobDefinitionException.class))
                .hasMessageEndingWith("there is no outbox: there is no DataSource")
                .extracting(JobDefinitionException::action)
                .isEqualTo("Define one, or set jobs.transactions to after-commit."));
    }
}
