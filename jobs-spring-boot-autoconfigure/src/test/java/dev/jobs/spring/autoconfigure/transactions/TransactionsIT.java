package dev.jobs.spring.autoconfigure.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.Batches;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.spring.autoconfigure.JobsContext;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransaction;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;

/** Jobs wait for the transactions of Spring, on JDBC and JPA. */
@ExtendWith(OutputCaptureExtension.class)
class TransactionsIT {

    private static EmbeddedRedis redis;

    private final ApplicationContextRunner runner = JobsContext.on(redis)
            .withPropertyValues("jobs.worker.enabled=false")
            .withUserConfiguration(Jdbc.class);

    @BeforeAll
    static void startRedis() {
        redis = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    @BeforeEach
    void empty() {
        runner.run(context -> context.getBean(StringRedisTemplate.class)
                .execute(
                        connection -> {
                            connection.serverCommands().flushAll();
                            return null;
                        },
                        true));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    static class Jdbc {

        @Bean
        @Primary
        DataSource dataSource() {
            return database("main");
        }

        @Bean
        DataSource otherDataSource() {
            return database("other");
        }

        @Bean
        @Primary
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        JdbcTransactionManager otherTransactionManager(@Qualifier("otherDataSource") DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        Orders orders(JobClient jobs, DataSource dataSource) {
            return new Orders(jobs, new JdbcTemplate(dataSource));
        }
    }

    private static DataSource database(String name) {
        DataSource database = new SimpleDriverDataSource(
                new org.h2.Driver(), "jdbc:h2:mem:" + name + System.identityHashCode(redis) + ";DB_CLOSE_DELAY=-1");
        new JdbcTemplate(database).execute("create table if not exists orders (id int)");
        new JdbcTemplate(database).execute("delete from orders");
        return database;
    }

    static class Orders {

        private final JobClient jobs;
        private final JdbcTemplate database;

        Orders(JobClient jobs, JdbcTemplate database) {
            this.jobs = jobs;
            this.database = database;
        }

        @Transactional
        public String place(int order, boolean fails) {
            database.update("insert into orders values (?)", order);
            String jid = jobs.enqueue("Confirm", order);
            if (fails) {
                throw new IllegalStateException("out of stock");
            }
            return jid;
        }
    }

    /** One context with its beans at hand. */
    private static final class App {

        final ApplicationContext context;
        final JobClient jobs;
        final StringRedisTemplate redis;

        App(ApplicationContext context) {
            this.context = context;
            this.jobs = context.getBean(JobClient.class);
            this.redis = context.getBean(StringRedisTemplate.class);
        }

        TransactionTemplate transaction() {
            return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        }

        TransactionTemplate transaction(int propagation) {
            TransactionTemplate template = transaction();
            template.setPropagationBehavior(propagation);
            return template;
        }

        TransactionTemplate otherTransaction() {
            return new TransactionTemplate(
                    context.getBean("otherTransactionManager", PlatformTransactionManager.class));
        }

        /** The names of the jobs in the queue, the first one first. */
        List<String> queue() {
            // a commit doesn't wait for a Redis that takes its time
            context.getBeansOfType(RedisJobClient.class).values().forEach(RedisJobClient::awaitCommitted);
            List<String> names = new ArrayList<>(redis.opsForList().range("queue:default", 0, -1));
            Collections.reverse(names);
            names.replaceAll(payload -> payload.replaceAll(".*\"class\":\"(\\w+)\".*", "$1"));
            return names;
        }
    }

    private void with(ApplicationContextRunner some, Consumer<App> test) {
        some.run(context -> {
            assertThat(context).hasNotFailed();
            test.accept(new App(context));
        });
    }

    /** Only transactions whose Redis was just silent hold a connection, and for a moment. */
    @Test
    @Timeout(120)
    void aSilentRedisLeavesConnectionsToOthers() throws Exception {
        with(
                JobsContext.on(redis)
                        .withUserConfiguration(SmallPool.class)
                        .withPropertyValues("jobs.worker.enabled=false", "spring.data.redis.timeout=5m"),
                app -> {
                    JdbcTemplate database = new JdbcTemplate(app.context.getBean(DataSource.class));
                    app.transaction().executeWithoutResult(status -> app.jobs.enqueue("Confirm"));
                    signal("-STOP");
                    try {
                        List<CompletableFuture<Void>> orders = IntStream.range(0, 10)
                                .mapToObj(i -> CompletableFuture.runAsync(
                                        () -> app.transaction().executeWithoutResult(status -> {
                                            database.queryForObject("select 1", Integer.class);
                                            app.jobs.enqueue("Confirm", i);
                                        })))
                                .toList();
                        assertThat(database.queryForObject("select 2", Integer.class))
                                .isEqualTo(2);
                        orders.forEach(CompletableFuture::join);
                    } finally {
                        signal("-CONT");
                    }

                    app.context.getBean(RedisJobClient.class).awaitCommitted();
                    assertThat(app.queue()).hasSize(11).containsOnly("Confirm");
                });
    }

    private static void signal(String signal) {
        try {
            assertThat(new ProcessBuilder("kill", signal, String.valueOf(redis.pid()))
                            .start()
                            .waitFor())
                    .isZero();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SmallPool {

        @Bean(destroyMethod = "dispose")
        JdbcConnectionPool dataSource() {
            JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:small", "", "");
            pool.setMaxConnections(2);
            pool.setLoginTimeout(300);
            return pool;
        }

        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    @Test
    void aJobExistsOnlyIfItsRowDoes() {
        with(runner, app -> {
            Orders orders = app.context.getBean(Orders.class);
            assertThat(orders.place(1, false)).isNotNull();
            assertThatThrownBy(() -> orders.place(2, true)).hasMessage("out of stock");

            assertThat(app.queue()).containsExactly("Confirm");
            assertThat(app.redis.opsForList().index("queue:default", 0)).contains("\"args\":[1]");
            assertThat(new JdbcTemplate(app.context.getBean(DataSource.class))
                            .queryForList("select id from orders", Integer.class))
                    .containsExactly(1);
        });
    }

    @Test
    void jobsAreStoredAfterTheCommitAndInOrder() {
        with(runner, app -> {
            app.transaction().executeWithoutResult(status -> {
                app.jobs.enqueue("A");
                app.jobs.enqueueAll("B", List.of(List.of(1), List.of(2)));
                app.jobs.now().enqueue("Now");
                app.jobs.enqueue("C");
                assertThat(app.queue()).containsExactly("Now");
            });

            assertThat(app.queue()).containsExactly("Now", "A", "B", "B", "C");
        });
    }

    @Test
    void aBatchIsCreatedByTheCommit() {
        with(runner, app -> {
            Batches batches = app.context.getBean(Batches.class);
            String[] ids = new String[2];
            app.transaction().executeWithoutResult(status -> {
                ids[0] = batches.create("kept", batch -> batch.add(JobCall.named("A")));
                assertThat(app.queue()).isEmpty();
            });
            app.transaction().executeWithoutResult(status -> {
                ids[1] = batches.create("dropped", batch -> batch.add(JobCall.named("B")));
                status.setRollbackOnly();
            });

            assertThat(app.queue()).containsExactly("A");
            assertThat(batches.find(ids[0])).isPresent();
            assertThat(batches.find(ids[1])).isEmpty();
        });
    }

    @Test
    void anInnerTransactionHasItsOwnJobs() {
        with(runner, app -> {
            app.transaction().executeWithoutResult(outer -> {
                app.jobs.enqueue("Before");
                app.transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                        .executeWithoutResult(inner -> app.jobs.enqueue("Inner"));
                assertThat(app.queue()).containsExactly("Inner");
                app.jobs.enqueue("After");
                outer.setRollbackOnly();
            });
            assertThat(app.queue()).containsExactly("Inner");

            app.transaction().executeWithoutResult(outer -> {
                app.jobs.enqueue("Outer");
                app.transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult(inner -> {
                    app.jobs.enqueue("Dropped");
                    inner.setRollbackOnly();
                });
            });
            assertThat(app.queue()).containsExactly("Inner", "Outer");
        });
    }

    @Test
    void aMethodWithoutATransactionOfItsOwnStoresAtOnce() {
        with(runner, app -> {
            app.transaction(TransactionDefinition.PROPAGATION_SUPPORTS).executeWithoutResult(status -> {
                app.jobs.enqueue("Supports");
                assertThat(app.queue()).containsExactly("Supports");
            });
            app.transaction().executeWithoutResult(outer -> {
                app.transaction(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
                        .executeWithoutResult(none -> app.jobs.enqueue("Outside"));
                assertThat(app.queue()).containsExactly("Supports", "Outside");
                outer.setRollbackOnly();
            });
        });
    }

    @Test
    void aReadOnlyTransactionCounts() {
        with(runner, app -> {
            TransactionTemplate reading = app.transaction();
            reading.setReadOnly(true);
            reading.executeWithoutResult(status -> {
                app.jobs.enqueue("A");
                assertThat(app.queue()).isEmpty();
            });
            assertThat(app.queue()).containsExactly("A");
        });
    }

    @Test
    void aRollbackToASavepointDropsWhatFollowedIt() {
        with(runner, app -> {
            app.transaction().executeWithoutResult(outer -> {
                app.transaction(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(nested -> {
                    app.jobs.enqueue("First");
                    nested.setRollbackOnly();
                });
                app.jobs.enqueue("A");
                app.transaction(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(nested -> {
                    app.jobs.enqueue("Dropped");
                    nested.setRollbackOnly();
                });
                app.transaction(TransactionDefinition.PROPAGATION_NESTED)
                        .executeWithoutResult(nested -> app.jobs.enqueue("B"));
            });

            assertThat(app.queue()).containsExactly("A", "B");
        });
    }

    @Test
    void eachOfSeveralTransactionManagersHasItsOwnJobs() {
        with(runner, app -> {
            app.otherTransaction().executeWithoutResult(outer -> {
                app.jobs.enqueue("Outer");
                app.transaction().executeWithoutResult(inner -> app.jobs.enqueue("Inner"));
                assertThat(app.queue()).containsExactly("Inner");
                app.transaction().executeWithoutResult(inner -> {
                    app.jobs.enqueue("Dropped");
                    inner.setRollbackOnly();
                });
            });
            assertThat(app.queue()).containsExactly("Inner", "Outer");
        });
    }

    private static void afterCommit(Runnable action) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                action.run();
            }
        });
    }

    private static void afterCompletion(Runnable action) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                action.run();
            }
        });
    }

    @Test
    void jobsOfCallbacksAfterTheCommitAreStored() {
        with(runner, app -> {
            app.transaction().executeWithoutResult(status -> afterCommit(() -> app.jobs.enqueue("Only")));
            assertThat(app.queue()).containsExactly("Only");

            app.transaction().executeWithoutResult(status -> {
                app.jobs.enqueue("A");
                afterCommit(() -> {
                    app.jobs.enqueue("B");
                    assertThat(app.queue()).containsExactly("Only", "A", "B");
                });
                afterCompletion(() -> {
                    app.jobs.enqueue("C");
                    assertThat(app.queue()).containsExactly("Only", "A", "B", "C");
                });
            });
            assertThat(app.queue()).containsExactly("Only", "A", "B", "C");
        });
    }

    @Test
    void jobsAreStoredThoughAnotherCallbackFails() {
        with(runner, app -> {
            assertThatThrownBy(() -> app.transaction().executeWithoutResult(status -> {
                        afterCommit(() -> {
                            throw new IllegalStateException("callback");
                        });
                        app.jobs.enqueue("A");
                    }))
                    .hasMessage("callback");
            assertThat(app.queue()).containsExactly("A");
        });
    }

    @Test
    void theNextTransactionOfTheThreadBeginsAnew() {
        with(runner, app -> {
            for (int i = 0; i < 3; i++) {
                boolean fails = i == 1;
                app.transaction().executeWithoutResult(status -> {
                    app.jobs.enqueue(fails ? "Dropped" : "Kept");
                    if (fails) {
                        status.setRollbackOnly();
                    }
                });
            }
            assertThat(app.queue()).containsExactly("Kept", "Kept");
            assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        });
    }

    @Test
    void aCallerIsNotToldOfARedisThatIsAwayAfterTheCommit(CapturedOutput output) {
        with(
                JobsContext.withoutRedis()
                        .withPropertyValues("jobs.worker.enabled=false", "spring.data.redis.timeout=100ms")
                        .withUserConfiguration(Jdbc.class),
                app -> app.transaction().executeWithoutResult(status -> app.jobs.enqueue("A")));

        assertThat(output).contains("1 job of a committed transaction is given up, and is not stored: A ");
    }

    @Test
    void withoutTransactionsJobsAreStoredAtOnce() {
        with(runner.withPropertyValues("jobs.transactions=off"), app -> app.transaction()
                .executeWithoutResult(status -> {
                    app.jobs.enqueue("A");
                    assertThat(app.queue()).containsExactly("A");
                    status.setRollbackOnly();
                }));
    }

    @Test
    void anUnknownOutcomeIsLoggedAndDropsTheJobs(CapturedOutput output) {
        AbstractPlatformTransactionManager broken = new AbstractPlatformTransactionManager() {
            @Override
            protected Object doGetTransaction() {
                return this;
            }

            @Override
            protected void doBegin(Object transaction, TransactionDefinition definition) {}

            @Override
            protected void doCommit(DefaultTransactionStatus status) {
                throw new TransactionSystemException("connection lost");
            }

            @Override
            protected void doRollback(DefaultTransactionStatus status) {}
        };
        with(runner, app -> {
            assertThatThrownBy(
                            () -> new TransactionTemplate(broken).executeWithoutResult(status -> app.jobs.enqueue("A")))
                    .hasMessage("connection lost");
            assertThat(app.queue()).isEmpty();
        });

        assertThat(output).contains("It is unknown whether a transaction was committed", "1 job (A ");
    }

    @Test
    void aReactiveTransactionManagerIsSaidNotToCount(CapturedOutput output) {
        ReactiveTransactionManager reactive = new ReactiveTransactionManager() {
            @Override
            public Mono<ReactiveTransaction> getReactiveTransaction(TransactionDefinition definition) {
                return Mono.empty();
            }

            @Override
            public Mono<Void> commit(ReactiveTransaction transaction) {
                return Mono.empty();
            }

            @Override
            public Mono<Void> rollback(ReactiveTransaction transaction) {
                return Mono.empty();
            }
        };
        with(
                JobsContext.withoutWorker().withBean(ReactiveTransactionManager.class, () -> reactive),
                app -> assertThat(output).contains("in a reactive transaction do not wait for it"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Jpa {

        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory() {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(database("jpa"));
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.setManagedTypes(PersistenceManagedTypes.of(Invoice.class.getName()));
            factory.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "create"));
            return factory;
        }

        @Bean
        JpaTransactionManager transactionManager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }
    }

    @Entity
    static class Invoice {
        @Id
        Integer id;
    }

    @Test
    void jobsWaitForTransactionsOfJpa() {
        with(
                JobsContext.on(redis)
                        .withPropertyValues("jobs.worker.enabled=false")
                        .withUserConfiguration(Jpa.class),
                app -> {
                    EntityManagerFactory factory = app.context.getBean(EntityManagerFactory.class);
                    EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
                    app.transaction().executeWithoutResult(status -> {
                        persist(entities, 1);
                        app.jobs.enqueue("A");
                        assertThat(app.queue()).isEmpty();
                    });
                    assertThatThrownBy(() -> app.transaction().executeWithoutResult(status -> {
                                persist(entities, 1); // fails at the flush of the commit
                                app.jobs.enqueue("B");
                            }))
                            .isInstanceOf(RuntimeException.class);

                    assertThat(app.queue()).containsExactly("A");
                });
    }

    private static void persist(EntityManager entities, int id) {
        Invoice invoice = new Invoice();
        invoice.id = id;
        entities.persist(invoice);
    }
}
