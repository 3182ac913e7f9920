package dev.jobs.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.JobsException;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.BatchBuilder;
import dev.jobs.batches.BatchEvent;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.Batches;
import dev.jobs.batches.RedisBatches;
import dev.jobs.databases.Database;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.outbox.OutboxTable.Slice;
import dev.jobs.redis.RedisConnections;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.database.SchemaChanges;
import dev.jobs.transactions.Outbox.Entry;
import dev.jobs.transactions.OutboxPushes;
import dev.jobs.transactions.OutboxPushes.Acknowledgement;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What the outbox promises on every database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OutboxContract {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Enough for a deadlock between producers and relays, if there can be one. */
    private static final int TRANSACTIONS = 100;

    Database database;
    private DataSource pool;
    private EmbeddedRedis redis;
    private ApplicationContextRunner runner;

    abstract Database start();

    /** What the application reaches the database through. */
    DataSource pool(Database database) {
        return database.source();
    }

    /** Those of the outbox, and one of the application. */
    static void createTables(Database database) {
        database.run("dev/jobs/outbox/" + database.kind() + "/R__jobs_outbox_001.sql");
        database.execute("create table orders (id varchar(64) primary key)");
    }

    @BeforeAll
    void open() {
        database = start();
        createTables(database);
        pool = pool(database);
        redis = EmbeddedRedis.start();
        runner = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataRedisAutoConfiguration.class,
                        LifecycleAutoConfiguration.class,
                        JobsAutoConfiguration.class,
                        JobsOutboxAutoConfiguration.class))
                .withBean(DataSource.class, () -> pool)
                .withBean(JdbcTransactionManager.class, () -> new JdbcTransactionManager(pool))
                .withPropertyValues(
                        "spring.data.redis.port=" + redis.port(),
                        "jobs.worker.enabled=false",
                        "jobs.transactions=outbox",
                        "jobs.outbox.lanes=2");
    }

    /** Those that started; a failed start shall not be hidden by another failure. */
    @AfterAll
    void close() throws Exception {
        for (AutoCloseable each : Arrays.asList(redis, database)) {
            if (each != null) {
                each.close();
            }
        }
    }

    @BeforeEach
    void empty() {
        JdbcTemplate jdbc = new JdbcTemplate(database.source());
        List.of("orders", "jobs_outbox", "jobs_outbox_lane").forEach(table -> jdbc.update("delete from " + table));
        with(
                runner.withPropertyValues("jobs.outbox.relay=false"),
                app -> app.redis.execute(
                        connection -> {
                            connection.serverCommands().flushAll();
                            return null;
                        },
                        true));
    }

    /** One context with its beans at hand. */
    private static final class App {

        final ApplicationContext context;
        final JobClient jobs;
        private final RedisJobClient client;
        final Batches batches;
        final StringRedisTemplate redis;
        final JdbcTemplate database;
        final OutboxTable table;

        App(ApplicationContext context) {
            this.context = context;
            this.jobs = context.getBean(JobClient.class);
            this.client = context.getBean(RedisJobClient.class);
            this.batches = context.getBean(Batches.class);
            this.redis = context.getBean(StringRedisTemplate.class);
            this.database = new JdbcTemplate(context.getBean(DataSource.class));
            this.table = context.getBean(OutboxTable.class);
        }

        TransactionTemplate transaction() {
            return new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
        }

        List<String> queue(String name) {
            client.awaitCommitted(); // a commit doesn't wait for a Redis that takes its time
            List<String> jids = new ArrayList<>(redis.opsForList().range("queue:" + name, 0, -1));
            Collections.reverse(jids);
            jids.replaceAll(payload -> payload.replaceAll(".*\"jid\":\"(\\w+)\".*", "$1"));
            return jids;
        }

        OutboxRelay relay(Duration pollInterval) {
            return relay(this::commit, pollInterval);
        }

        OutboxRelay relay(Consumer<byte[]> commit, Duration pollInterval) {
            return new OutboxRelay(
                    "",
                    table,
                    context.getBean(OutboxPushes.class),
                    commit,
                    Acknowledgement.NONE,
                    pollInterval,
                    new RelayedDatabase());
        }

        void commit(byte[] batch) {
            context.getBean(RedisBatches.class).commit(batch);
        }

        /** Runs a relay of its own until that many rows are left. */
        void relayUntil(long rows) {
            OutboxRelay relay = relay(PATIENCE);
            relay.start();
            await().atMost(PATIENCE).until(() -> rows() == rows);
            relay.stop();
        }

        boolean isOpen(String batch) {
            return batches.find(batch).orElseThrow().open();
        }

        long rows() {
            return table.backlog().jobs();
        }
    }

    private void with(ApplicationContextRunner some, Consumer<App> test) {
        some.run(context -> {
            assertThat(context).hasNotFailed();
            test.accept(new App(context));
        });
    }

    private ApplicationContextRunner withoutRelay() {
        return runner.withPropertyValues("jobs.outbox.relay=false");
    }

    @Test
    void rowsHaveEncryptedArgumentsOnly() {
        ApplicationContextRunner withKey =
                runner.withPropertyValues("jobs.encryption.keys.k1=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
        with(withKey.withPropertyValues("jobs.outbox.relay=false"), app -> {
            app.transaction()
                    .executeWithoutResult(status -> app.jobs.encrypted().enqueue("Pay", "sesame"));
            byte[] payload = app.database.queryForObject("select payload from jobs_outbox", byte[].class);

            assertThat(new String(payload, StandardCharsets.UTF_8))
                    .contains("A256GCM")
                    .doesNotContain("sesame");
        });
        with(withKey, app -> {
            await().atMost(PATIENCE).until(() -> app.rows() == 0);

            assertThat(app.redis.opsForList().index("queue:default", 0)).contains("A256GCM");
        });
    }

    int processesAtOnce() {
        return 4;
    }

    @Test
    void processesThatStartTogetherMakeTheTablesOnce() {
        List.of("jobs_outbox", "jobs_outbox_lane", "jobs_schema").forEach(database::drop);
        SchemaChanges changes = new SchemaChanges(
                "outbox", List.of(database.source()), DatabaseInitializationMode.ALWAYS, failure -> false);

        IntStream.range(0, processesAtOnce())
                .mapToObj(i -> CompletableFuture.runAsync(changes::initializeDatabase))
                .toList()
                .forEach(CompletableFuture::join);

        assertThat(new OutboxTable(database.source(), 1).backlog().jobs()).isZero();
        assertThat(new JdbcTemplate(database.source()).queryForList("select * from jobs_schema"))
                .hasSize(1);
    }

    @Test
    void tablesAreMadeOnAConnectionThatDoesNotCommitByItself() throws SQLException {
        List.of("jobs_outbox", "jobs_outbox_lane", "jobs_schema").forEach(database::drop);
        try (Connection connection = database.source().getConnection()) {
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            DataSource single = new SingleConnectionDataSource(connection, true);
            new SchemaChanges("outbox", List.of(single), DatabaseInitializationMode.ALWAYS, failure -> false)
                    .initializeDatabase();

            assertThat(connection.getAutoCommit()).isFalse();
            assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
            connection.rollback();
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
        assertThat(new OutboxTable(database.source(), 1).backlog().jobs()).isZero();
        assertThat(new JdbcTemplate(database.source()).queryForList("select * from jobs_schema"))
                .hasSize(1);
    }

    @Test
    void jobsAreRowsOfTheirTransactionAndThenInRedis() {
        List<String> jids = new ArrayList<>();
        with(withoutRelay(), app -> {
            app.transaction().executeWithoutResult(status -> {
                app.database.update("insert into orders values ('1')");
                jids.add(app.jobs.enqueue("A", 1));
                jids.addAll(app.jobs.enqueueAll(
                        "B", IntStream.range(0, 1_200).mapToObj(i -> List.of(i)).toList()));
                jids.add(app.jobs.in(Duration.ofHours(1)).enqueue("Later"));
                jids.add(app.jobs.queue("low").enqueue("Low", "ü€𝄞"));
            });
            assertThat(app.rows()).isEqualTo(1_203);
            assertThat(app.redis.keys("*")).isEmpty();
        });

        with(runner, app -> {
            await().atMost(PATIENCE).until(() -> app.rows() == 0);

            assertThat(app.queue("default")).isEqualTo(jids.subList(0, 1_201));
            assertThat(app.queue("low")).containsExactly(jids.get(1_202));
            assertThat(app.redis.opsForList().index("queue:low", 0)).contains("ü€𝄞");
            assertThat(app.redis.opsForZSet().range("schedule", 0, -1))
                    .singleElement()
                    .asString()
                    .contains(jids.get(1_201));
        });
    }

    @Test
    void aCommitIsRelayedAtOnce() {
        with(runner.withPropertyValues("jobs.outbox.poll-interval=10m"), app -> {
            for (int i = 1; i <= 3; i++) {
                int count = i;
                app.transaction().executeWithoutResult(status -> app.jobs.enqueue("A"));
                await().atMost(PATIENCE).until(() -> app.queue("default").size() == count);
            }
        });
    }

    @Test
    void aRollbackLeavesNoRow() {
        with(withoutRelay(), app -> {
            app.transaction().executeWithoutResult(status -> {
                app.jobs.enqueue("A");
                status.setRollbackOnly();
            });
            app.transaction().executeWithoutResult(outer -> {
                app.jobs.enqueue("Kept");
                TransactionTemplate nested = app.transaction();
                nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
                nested.executeWithoutResult(inner -> {
                    app.jobs.enqueue("Dropped");
                    inner.setRollbackOnly();
                });
            });
            assertThat(app.database.queryForList("select jid from jobs_outbox")).hasSize(1);
        });
    }

    @Test
    void whatCallbacksOfTheCommitEnqueueIsARowAsWell() {
        with(withoutRelay(), app -> {
            List<String> jids = new ArrayList<>();
            app.transaction().executeWithoutResult(status -> {
                beforeCommit(() -> jids.add(app.jobs.enqueue("First"))); // whose transaction has no job yet
                beforeCommit(() -> jids.addAll(app.jobs.enqueueAll("A", List.of(List.of(1), List.of(2)))));
            });
            app.transaction().executeWithoutResult(status -> {
                jids.add(app.jobs.enqueue("A"));
                beforeCommit(() -> jids.add(app.jobs.enqueue("B")));
                beforeCommit(() -> app.batches.create("batch", twoJobsAndMore()));
            });
            assertThat(app.database.queryForList("select jid from jobs_outbox where queue = 'default'", String.class))
                    .containsExactlyInAnyOrderElementsOf(jids);
            assertThat(app.rows()).isEqualTo(6);
            assertThat(app.queue("default")).isEmpty();
        });
    }

    private static void beforeCommit(Runnable action) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                action.run();
            }
        });
    }

    private static void afterCommit(Runnable action, int order) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public int getOrder() {
                return order;
            }

            @Override
            public void afterCommit() {
                action.run();
            }
        });
    }

    /** Does something while it commits, as JPA calls the callbacks of entities that it flushes. */
    private static final class Flushing extends JdbcTransactionManager {

        private static final long serialVersionUID = 1;

        private transient Runnable flush = () -> {};

        Flushing(DataSource database) {
            super(database);
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            flush.run();
            super.doCommit(status);
        }
    }

    @Test
    void whatTheCommitItselfEnqueuesIsARowAsWell() {
        Flushing manager = new Flushing(pool);
        with(withoutRelay().withBean("flushing", Flushing.class, () -> manager), app -> {
            manager.flush = () -> app.jobs.enqueue("First");
            new TransactionTemplate(manager).executeWithoutResult(status -> {});
            manager.flush = () -> app.jobs.enqueue("B");
            new TransactionTemplate(manager).executeWithoutResult(status -> app.jobs.enqueue("A"));
            assertThat(app.rows()).isEqualTo(3);

            manager.flush = () -> {
                app.jobs.enqueue("Dropped");
                throw new TransactionSystemException("a constraint is violated");
            };
            manager.setRollbackOnCommitFailure(true);
            assertThatThrownBy(() -> new TransactionTemplate(manager).executeWithoutResult(status -> {}))
                    .hasMessage("a constraint is violated");
            assertThat(app.rows()).isEqualTo(3);
            assertThat(app.queue("default")).isEmpty();
        });
    }

    @Test
    void whatFollowsTheCommitIsSent() {
        with(withoutRelay(), app -> {
            List<String> jids = new ArrayList<>();
            app.transaction().executeWithoutResult(status -> {
                afterCommit(() -> jids.add(app.jobs.enqueue("Early")), 0);
                app.jobs.enqueue("A");
                afterCommit(() -> jids.add(app.jobs.enqueue("Late")), Ordered.LOWEST_PRECEDENCE);
            });
            app.transaction().executeWithoutResult(status -> afterCommit(() -> jids.add(app.jobs.enqueue("Alone")), 0));
            assertThat(app.queue("default")).containsExactlyInAnyOrderElementsOf(jids);
            assertThat(app.rows()).isEqualTo(1);
        });
    }

    @Test
    void whatCannotBeKeptRollsTheTransactionBack() {
        with(withoutRelay(), app -> {
            database.rename("jobs_outbox", "jobs_outbox_away");
            try {
                assertThatThrownBy(() -> app.transaction().executeWithoutResult(status -> {
                            app.database.update("insert into orders values ('1')");
                            app.jobs.enqueue("A");
                        }))
                        .isInstanceOf(RuntimeException.class);
            } finally {
                database.rename("jobs_outbox_away", "jobs_outbox");
            }
            assertThat(app.database.queryForList("select id from orders")).isEmpty();
        });
    }

    @Test
    void outsideATransactionAndInOneThatOnlyReadsNoRowIsWritten() {
        with(withoutRelay(), app -> {
            String first = app.jobs.enqueue("A");
            TransactionTemplate reading = app.transaction();
            reading.setReadOnly(true);
            String second = reading.execute(status -> app.jobs.enqueue("B"));

            assertThat(app.queue("default")).containsExactly(first, second);
            assertThat(app.rows()).isZero();
        });
    }

    @Test
    void aTransactionOfAnotherDatabaseIsRefused() {
        try (Database other = Database.h2()) {
            with(withoutRelay(), app -> {
                TransactionTemplate elsewhere = new TransactionTemplate(new JdbcTransactionManager(other.source()));
                assertThatThrownBy(() -> elsewhere.executeWithoutResult(status -> app.jobs.enqueue("A")))
                        .isInstanceOf(JobsException.class)
                        .hasMessageContaining("not one of the outbox's DataSource");
                assertThat(app.redis.keys("*")).isEmpty();
            });
        }
    }

    @Test
    void aCrashAtAnyPointStoresEachJobOnce() {
        with(withoutRelay(), app -> {
            OutboxTable table = app.table;
            table.createLanes();
            String jid = app.transaction().execute(status -> app.jobs.enqueue("A"));
            int lane = Math.floorMod("default".hashCode(), 2);

            Slice numbered = table.next(lane); // and dies
            assertThat(table.next(lane)).usingRecursiveComparison().isEqualTo(numbered);

            app.relay(PATIENCE).store(numbered); // and dies
            String second = app.transaction().execute(status -> app.jobs.enqueue("B"));
            OutboxRelay next = app.relay(PATIENCE);
            next.start();
            await().atMost(PATIENCE).until(() -> app.rows() == 0);
            next.stop();

            assertThat(app.queue("default")).containsExactly(jid, second);

            app.relay(PATIENCE).store(numbered); // was frozen
            assertThat(app.queue("default")).containsExactly(jid, second);
        });
    }

    @Test
    void manyProducersAndRelaysStoreEachJobOnce() {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            with(withoutRelay(), app -> {
                List<OutboxRelay> relays = IntStream.range(0, 3)
                        .mapToObj(i -> app.relay(Duration.ofMillis(5)))
                        .toList();
                relays.forEach(OutboxRelay::start);
                List<Future<List<String>>> sent = IntStream.range(0, 4)
                        .mapToObj(producer -> threads.submit(() -> produce(app, producer)))
                        .toList();
                List<String> expected = new ArrayList<>();
                for (Future<List<String>> each : sent) {
                    expected.addAll(result(each));
                }
                await().atMost(PATIENCE).until(() -> app.rows() == 0);
                relays.forEach(OutboxRelay::stop);

                List<String> stored = new ArrayList<>(app.queue("default"));
                stored.addAll(app.queue("low"));
                assertThat(stored).containsExactlyInAnyOrderElementsOf(expected);
            });
        } finally {
            threads.shutdownNow();
        }
    }

    private static List<String> produce(App app, int producer) {
        List<String> committed = new ArrayList<>();
        for (int i = 0; i < TRANSACTIONS; i++) {
            boolean rolledBack = i % 4 == producer;
            List<String> jids = app.transaction().execute(status -> {
                List<String> some = new ArrayList<>(app.jobs.enqueueAll("A", List.of(List.of(1), List.of(2))));
                some.add(app.jobs.queue("low").enqueue("B"));
                if (rolledBack) {
                    status.setRollbackOnly();
                }
                return some;
            });
            if (!rolledBack) {
                committed.addAll(jids);
            }
        }
        return committed;
    }

    private static <T> T result(Future<T> future) {
        try {
            return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static Consumer<BatchBuilder> twoJobsAndMore() {
        return batch -> batch.describe("Über 2")
                .keepFor(Duration.ofDays(1))
                .on(BatchEvent.FINISHED, JobCall.named("Finished", "ü"))
                .add(JobCall.named("A", 1))
                .add(JobCall.named("A", 2).queue("low"))
                .child("child", child -> child.add(JobCall.named("Child")))
                .then("then", then -> then.add(JobCall.named("Then")));
    }

    @Test
    void aBatchIsCommittedOnceAfterItsTransaction() {
        List<String> ids = new ArrayList<>();
        with(withoutRelay(), app -> {
            app.table.createLanes();
            app.transaction().executeWithoutResult(status -> {
                ids.add(app.batches.create("batch", twoJobsAndMore()));
                app.jobs.enqueue("Beside");
            });
            assertThat(app.rows()).isEqualTo(2);
            assertThat(app.isOpen(ids.get(0))).isTrue();
            assertThat(app.queue("low")).isEmpty();

            for (int lane = 0; lane < 2; lane++) {
                Slice slice = app.table.next(lane);
                if (slice != null) {
                    app.relay(PATIENCE).store(slice); // and dies
                }
            }
        });
        with(runner, app -> {
            await().atMost(PATIENCE).until(() -> app.rows() == 0);

            BatchStatus batch = app.batches.find(ids.get(0)).orElseThrow();
            assertThat(batch.open()).isFalse();
            assertThat(batch.description()).isEqualTo("Über 2");
            assertThat(batch.total()).isEqualTo(2);
            assertThat(batch.childrenOpen()).isEqualTo(1);
            assertThat(app.queue("low")).hasSize(1);
            assertThat(app.redis.opsForList().range("queue:default", 0, -1))
                    .extracting(job -> job.replaceAll(".*\"class\":\"(\\w+)\".*", "$1"))
                    .containsExactlyInAnyOrder("A", "Child", "Beside");
        });
    }

    @Test
    void aRollbackLeavesNoBatch() {
        with(withoutRelay(), app -> {
            String id = app.transaction().execute(status -> {
                status.setRollbackOnly();
                return app.batches.create("batch", twoJobsAndMore());
            });
            assertThat(app.batches.find(id)).isEmpty();
            assertThat(app.rows()).isZero();
        });
    }

    @Test
    void aBatchWhoseCommitMayHaveSucceededIsLeftToTheRelay() {
        with(withoutRelay(), app -> {
            List<String> ids = new ArrayList<>();
            JdbcTransactionManager unsure = new JdbcTransactionManager(pool) {
                private static final long serialVersionUID = 1;

                @Override
                protected void doCommit(DefaultTransactionStatus status) {
                    super.doCommit(status);
                    throw new TransactionSystemException("No answer");
                }
            };
            assertThatThrownBy(() -> new TransactionTemplate(unsure)
                            .executeWithoutResult(status -> ids.add(app.batches.create("batch", twoJobsAndMore()))))
                    .isInstanceOf(TransactionSystemException.class);

            OutboxRelay relay = app.relay(PATIENCE);
            relay.start();
            await().atMost(PATIENCE).until(() -> app.rows() == 0);
            relay.stop();
            assertThat(app.isOpen(ids.get(0))).isFalse();
        });
    }

    @Test
    void aBatchWrittenByALaterVersionWaitsForItsRelay() {
        with(withoutRelay(), app -> {
            String id = app.transaction().execute(status -> app.batches.create("batch", twoJobsAndMore()));
            byte[] row = app.database.queryForObject("select payload from jobs_outbox", byte[].class);
            byte[] later = row.clone();
            later[0]++;
            new JdbcTemplate(database.source()).update("update jobs_outbox set payload = ?", (Object) later);
            String jid = app.transaction().execute(status -> app.jobs.enqueue("A"));

            app.relayUntil(1);
            assertThat(app.queue("default")).containsExactly(jid);
            assertThat(app.isOpen(id)).isTrue();

            new JdbcTemplate(database.source())
                    .update("update jobs_outbox set payload = ?", (Object) row); // the later version reads it
            app.relayUntil(0);
            assertThat(app.isOpen(id)).isFalse();
        });
    }

    @Test
    void anErrorDoesNotEndTheRelay() {
        with(withoutRelay(), app -> {
            String id = app.transaction().execute(status -> app.batches.create("batch", twoJobsAndMore()));
            AtomicBoolean failed = new AtomicBoolean();
            OutboxRelay relay = app.relay(
                    batch -> {
                        if (failed.compareAndSet(false, true)) {
                            throw new NoClassDefFoundError("of a driver");
                        }
                        app.commit(batch);
                    },
                    PATIENCE);
            relay.start();
            await().atMost(PATIENCE).until(() -> app.rows() == 0);
            relay.stop();

            assertThat(failed).isTrue();
            assertThat(app.isOpen(id)).isFalse();
        });
    }

    @Test
    void aBatchThatIsGoneHoldsNothingUp() {
        with(withoutRelay(), app -> {
            String id = app.transaction().execute(status -> app.batches.create("batch", twoJobsAndMore()));
            app.redis.delete(app.redis.keys("jobs:batch:" + id + "*"));
            String jid = app.transaction().execute(status -> app.jobs.enqueue("A"));

            app.relayUntil(0);
            assertThat(app.queue("default")).containsExactly(jid);
        });
    }

    @Test
    void largeJobsMakeSmallSlices() {
        with(withoutRelay(), app -> {
            app.table.createLanes();
            byte[] large = "x".repeat(400_000).getBytes(StandardCharsets.UTF_8);
            List<Entry> jobs = IntStream.range(0, 5)
                    .mapToObj(i -> new Entry("default", "j" + i, null, large))
                    .toList();
            app.transaction().executeWithoutResult(status -> app.table.add(jobs, 0));

            assertThat(app.table.next(Math.floorMod("default".hashCode(), 2)).rows())
                    .hasSize(2);
        });
    }

    @Test
    void aSmallJobDoesNotPassALargeOneOfItsQueue() {
        with(withoutRelay(), app -> {
            app.table.createLanes();
            List<Entry> jobs = new ArrayList<>();
            for (int size : new int[] {600_000, 600_000, 1, 600_000, 1}) {
                String jid = "j" + jobs.size();
                String payload = "{\"jid\":\"" + jid + "\",\"args\":[\"" + "x".repeat(size) + "\"]}";
                jobs.add(new Entry("default", jid, null, payload.getBytes(StandardCharsets.UTF_8)));
            }
            app.transaction().executeWithoutResult(status -> app.table.add(jobs, 0));

            app.relay(PATIENCE).relayAll();

            assertThat(app.queue("default")).containsExactly("j0", "j1", "j2", "j3", "j4");
        });
    }

    @Test
    void oneLookRelaysAllSlicesOfOneLaneWhileTheOthersAreEmpty() {
        with(withoutRelay(), app -> {
            app.table.createLanes();
            byte[] large = "x".repeat(400_000).getBytes(StandardCharsets.UTF_8);
            List<String> queueOfEachLane = List.of("a", "b");
            assertThat(queueOfEachLane)
                    .extracting(queue -> Math.floorMod(queue.hashCode(), 2))
                    .doesNotHaveDuplicates();
            for (String queue : queueOfEachLane) {
                List<Entry> jobs = IntStream.range(0, 5) // which make three slices
                        .mapToObj(i -> new Entry(queue, "j" + i, null, large))
                        .toList();
                app.transaction().executeWithoutResult(status -> app.table.add(jobs, 0));

                app.relay(PATIENCE).relayAll();
                assertThat(app.rows()).as("left of queue " + queue).isZero();
            }
        });
    }

    @Test
    void aLaneThatRedisRefusesHoldsUpNoOther() {
        with(withoutRelay(), app -> {
            app.table.createLanes();
            byte[] large = "x".repeat(400_000).getBytes(StandardCharsets.UTF_8);
            for (String queue : List.of("a", "b")) { // one of each lane
                List<Entry> jobs = IntStream.range(0, 5) // which make three slices
                        .mapToObj(i -> new Entry(queue, "j" + i, null, large))
                        .toList();
                app.transaction().executeWithoutResult(status -> app.table.add(jobs, 0));
            }
            String refused = app.table.next(0).rows().get(0).job().queue();
            app.redis.opsForValue().set("queue:" + refused, "no list");

            OutboxRelay relay = app.relay(PATIENCE);
            relay.relayAll();
            relay.relayAll();
            assertThat(app.rows()).as("left of the lane").isEqualTo(5);
            assertThat(app.redis.opsForList().size("queue:" + (refused.equals("a") ? "b" : "a")))
                    .isEqualTo(5);

            app.redis.delete("queue:" + refused);
            relay.relayAll();
            assertThat(app.rows()).isZero();
            assertThat(app.redis.opsForList().size("queue:" + refused)).isEqualTo(5);
        });
    }

    @Test
    void payloadsThatDoNotFitIntoASliceAreNotRead() {
        with(withoutRelay(), app -> {
            app.table.createLanes();
            byte[] large = "x".repeat(400_000).getBytes(StandardCharsets.UTF_8);
            List<Entry> jobs = IntStream.range(0, 50)
                    .mapToObj(i -> new Entry("default", "j" + i, null, large))
                    .toList();
            app.transaction().executeWithoutResult(status -> app.table.add(jobs, 0));
            int lane = Math.floorMod("default".hashCode(), 2);
            app.table.next(lane == 0 ? 1 : 0); // loads classes
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long before = threads.getCurrentThreadAllocatedBytes();

            assertThat(app.table.next(lane).rows()).hasSize(2);
            assertThat(threads.getCurrentThreadAllocatedBytes() - before)
                    .as("bytes allocated to read 800,000 of 20,000,000")
                    .isLessThan(10_000_000);
        });
    }

    @Test
    void rowsOfALaneThatIsNoLongerConfiguredAreRelayed() {
        with(withoutRelay(), app -> {
            OutboxTable before = new OutboxTable(pool, 64);
            before.createLanes();
            List<Entry> jobs = IntStream.range(0, 20)
                    .mapToObj(i -> new Entry("q" + i, "j" + i, null, "{}".getBytes(StandardCharsets.UTF_8)))
                    .toList();
            app.transaction().executeWithoutResult(status -> before.add(jobs, 0));

            app.relayUntil(0);
            assertThat(app.redis.opsForSet().size("queues")).isEqualTo(20);
        });
    }

    @Test
    void rowsOfLanesThatNoRelayHasCreatedAreRelayed() {
        with(withoutRelay(), app -> {
            OutboxTable writer = new OutboxTable(pool, 64);
            OutboxRelay relay = app.relay(PATIENCE);
            for (int look = 1; look <= 2; look++) {
                String prefix = "look" + look + "-";
                List<Entry> jobs = IntStream.range(0, 20)
                        .mapToObj(i -> new Entry(prefix + i, prefix + i, null, "{}".getBytes(StandardCharsets.UTF_8)))
                        .toList();
                app.transaction().executeWithoutResult(status -> writer.add(jobs, 0));

                relay.relayAll();
                assertThat(app.rows()).isZero();
                assertThat(app.redis.opsForSet().size("queues")).isEqualTo(20L * look);
            }
        });
    }

    @Test
    void jobsThatStayAreWarnedOf() {
        with(withoutRelay(), app -> {
            JobsAdmin admin = app.context.getBean(JobsAdmin.class);
            app.transaction().executeWithoutResult(status -> app.jobs.enqueueAll("A", List.of(List.of(), List.of())));
            assertThat(admin.warnings()).isEmpty();

            new JdbcTemplate(database.source()).update("update jobs_outbox set created = created - 3600000");
            assertThat(admin.warnings()).singleElement().satisfies(found -> {
                assertThat(found.code()).isEqualTo("outbox");
                assertThat(found.subject()).isEqualTo("2");
                assertThat(found.values()).singleElement().asString().startsWith("36");
                assertThat(found.message()).startsWith("2 jobs wait in the outbox, the oldest for 36");
            });
        });
    }

    @Test
    void jobsWaitWhileRedisIsAway() {
        EmbeddedRedis other = EmbeddedRedis.start();
        int port = other.port();
        with(runner.withPropertyValues("spring.data.redis.port=" + port, "spring.data.redis.timeout=300ms"), app -> {
            app.context.getBean(RedisConnections.class);
            other.close();
            String jid = app.transaction().execute(status -> app.jobs.enqueue("A"));
            assertThat(app.rows()).isEqualTo(1);
            EmbeddedRedis again = EmbeddedRedis.builder().port(port).start();
            try {
                await().atMost(PATIENCE).until(() -> app.rows() == 0);
                await().atMost(PATIENCE) // a connection that takes longer than the timeout above is no failure
                        .ignoreExceptions()
                        .untilAsserted(() -> assertThat(app.queue("default")).containsExactly(jid));
            } finally {
                again.close();
            }
        });
    }
}
