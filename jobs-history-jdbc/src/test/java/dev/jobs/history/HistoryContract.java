package dev.jobs.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.batches.BatchArchiving;
import dev.jobs.batches.BatchBuilder;
import dev.jobs.batches.BatchEndedException;
import dev.jobs.batches.BatchJob;
import dev.jobs.batches.BatchJobState;
import dev.jobs.batches.BatchJournal;
import dev.jobs.batches.BatchPage;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.Batches;
import dev.jobs.batches.OpenBatch;
import dev.jobs.databases.Database;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.history.EventSearch.Order;
import dev.jobs.history.EventTable.End;
import dev.jobs.history.EventTable.NewEvent;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What the history promises on every database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
abstract class HistoryContract {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Database database;
    private EmbeddedRedis redis;
    private AnnotationConfigApplicationContext app;
    private Batches batches;
    private JobClient jobs;
    private JobHistory history;

    /** Those of the application. */
    private HistoryTables tables;

    /** What the test writes by itself, each statement at once. */
    private HistoryTables own;

    private JdbcTemplate jdbc;
    private Shop shop;

    abstract Database start();

    /** What the application reaches the database through. */
    DataSource pool(Database database) {
        return database.source();
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Shop.Beans.class)
    @ImportAutoConfiguration({
        DataRedisAutoConfiguration.class,
        LifecycleAutoConfiguration.class,
        JobsAutoConfiguration.class,
        JobsHistoryAutoConfiguration.class
    })
    static class App {}

    @BeforeAll
    void open() {
        database = start();
        DataSource pool = pool(database);
        redis = EmbeddedRedis.start();
        app = new AnnotationConfigApplicationContext();
        TestPropertyValues.of(
                        "spring.data.redis.port=" + redis.port(),
                        "jobs.history.initialize-schema=always",
                        "jobs.history.interval=50ms",
                        "jobs.poll-interval=100ms",
                        "jobs.encryption.keys.k1=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
                        "jobs.history.jobs=Shop.en*",
                        "jobs.history.queues=audited")
                .applyTo(app);
        app.registerBean(DataSource.class, () -> pool);
        app.registerBean(JdbcTransactionManager.class, () -> new JdbcTransactionManager(pool));
        app.register(App.class);
        app.refresh();
        batches = app.getBean(Batches.class);
        jobs = app.getBean(JobClient.class);
        history = app.getBean(JobHistory.class);
        tables = app.getBean(HistoryTables.class);
        shop = app.getBean(Shop.class);
        own = new HistoryTables(database.source());
        jdbc = new JdbcTemplate(database.source());
    }

    /** Those that started; a failed start shall not be hidden by another failure. */
    @AfterAll
    void close() throws Exception {
        for (AutoCloseable each : Arrays.asList(app, redis, database)) {
            if (each != null) {
                each.close();
            }
        }
    }

    @BeforeEach
    void empty() {
        List.of("jobs_task", "jobs_task_tag", "jobs_event").forEach(table -> jdbc.update("delete from " + table));
        shop.healed = false;
    }

    private TransactionTemplate transaction() {
        return new TransactionTemplate(app.getBean(JdbcTransactionManager.class));
    }

    private String enroll(Consumer<BatchBuilder> more) {
        return batches.create("enrollment", batch -> {
            batch.addAll(LongStream.range(0, 3).mapToObj(product -> JobCall.of(Shop::enroll, product)));
            more.accept(batch);
        });
    }

    private HistoryTask awaitComplete(String id) {
        await().atMost(PATIENCE)
                .until(() -> history.task(id).filter(HistoryTask::complete).isPresent());
        return history.task(id).orElseThrow();
    }

    private void equalsRedis(String id) {
        HistoryTask task = awaitComplete(id);
        BatchStatus batch = batches.find(id).orElseThrow();
        assertThat(List.of(
                        task.total(),
                        task.waiting(),
                        task.retrying(),
                        task.succeeded(),
                        task.failed(),
                        task.dead(),
                        task.skipped(),
                        task.lost()))
                .containsExactly(
                        batch.total(),
                        batch.waiting(),
                        batch.retrying(),
                        batch.succeeded(),
                        batch.failed(),
                        batch.dead(),
                        batch.skipped(),
                        batch.lost());
        assertThat(task.state().name()).isEqualTo(batch.state().name());
        assertThat(task.name()).isEqualTo(batch.name());
        List<String> rows = new ArrayList<>();
        for (HistoryPage<HistoryEvent> page = history.events(EventSearch.ofTask(id), null, 2); ; ) {
            page.items()
                    .forEach(job ->
                            rows.add(job.index() + " " + job.jid() + job.state() + job.messages() + job.result()));
            if (page.next() == null) {
                break;
            }
            page = history.events(EventSearch.ofTask(id), page.next(), 2);
        }
        assertThat(rows).containsExactlyElementsOf(stored(id));
    }

    private List<String> stored(String id) {
        List<String> all = new ArrayList<>();
        for (BatchPage page = batches.jobs(id, Set.of(), -1, 1_000); ; ) {
            for (BatchJob job : page.jobs()) {
                all.add(job.index() + " " + job.jid() + job.state() + job.messages() + job.result());
            }
            if (!page.hasMore()) {
                return all;
            }
            page = batches.jobs(id, Set.of(), page.next(), 1_000);
        }
    }

    @Test
    void aBatchAndItsJobsAreRowsAndEqualRedisOnceItHasFinished() {
        String id = batches.create("enrollment", batch -> batch.describe("Campaign 11.11")
                .tags("campaign:11.11", "nightly")
                .createdBy("ada")
                .keepResults()
                .add(JobCall.of(Shop::enroll, 1L))
                .add(JobCall.of(Shop::refuse, 2L))
                .add(JobCall.of(Shop::die, 3L))
                .add(JobCall.of(Shop::stumble, 4L)));
        equalsRedis(id);
        HistoryTask task = history.task(id).orElseThrow();
        assertThat(task.description()).isEqualTo("Campaign 11.11");
        assertThat(task.tags()).containsExactly("campaign:11.11", "nightly");
        assertThat(task.createdBy()).isEqualTo("ada");
        assertThat(task.finishedAt()).isNotNull();
        List<HistoryEvent> all =
                history.events(EventSearch.ofTask(id), null, 10).items();
        assertThat(all)
                .extracting(HistoryEvent::state)
                .containsExactly(
                        BatchJobState.SUCCEEDED, BatchJobState.FAILED, BatchJobState.DEAD, BatchJobState.SUCCEEDED);
        assertThat(all)
                .extracting(HistoryEvent::job)
                .containsExactly("Shop.enroll", "Shop.refuse", "Shop.die", "Shop.stumble");
        assertThat(all).extracting(HistoryEvent::parameters).containsExactly("[1]", "[2]", "[3]", "[4]");
        assertThat(all).extracting(HistoryEvent::attempts).containsExactly(1, 1, 1, 2);
        assertThat(all.get(0).result()).isEqualTo("\"enrolled-1\"");
        assertThat(all.get(0).messages()).containsExactly("product 1 is enrolled");
        assertThat(all.get(2).messages())
                .containsExactly("about to die", "java.lang.IllegalStateException: No stock of 3");
        assertThat(all.get(3).errorClass()).isEqualTo("java.lang.IllegalArgumentException");
        assertThat(all).allSatisfy(job -> assertThat(job.endedAt()).isBetween(job.startedAt(), Instant.now()));
    }

    @Test
    void endsAreRowsWhileTheBatchRuns() {
        shop.gate = new CountDownLatch(1);
        String id = enroll(batch -> batch.add(JobCall.of(Shop::await, 7L)).add(JobCall.of(Shop::refuse, 8L)));
        await().atMost(PATIENCE)
                .until(() -> history.events(EventSearch.ofTask(id).withStates(BatchJobState.FAILED), null, 10)
                                .items()
                                .size()
                        == 1);
        assertThat(history.events(EventSearch.ofTask(id).withStates(BatchJobState.FAILED), null, 10)
                        .items()
                        .get(0)
                        .messages())
                .containsExactly("Product 8 is not qualified");
        await().atMost(PATIENCE).until(() -> history.task(id).orElseThrow().succeeded() == 3);
        assertThat(history.task(id).orElseThrow().complete()).isFalse();
        assertThat(history.task(id).orElseThrow().state()).isEqualTo(HistoryTask.State.RUNNING);
        shop.gate.countDown();
        equalsRedis(id);
    }

    @Test
    void whatIsLostOrWrongIsRepaired() {
        shop.gate = new CountDownLatch(1);
        String id = enroll(batch -> batch.keepFor(Duration.ofHours(1)).add(JobCall.of(Shop::await, 7L)));
        await().atMost(PATIENCE)
                .until(() -> history.events(EventSearch.ofTask(id).withStates(BatchJobState.SUCCEEDED), null, 10)
                                .items()
                                .size()
                        == 3);
        jdbc.update("delete from jobs_event where task_id = ? and idx = 0", id);
        jdbc.update("update jobs_event set status = 'LOST', messages = null where task_id = ? and idx = 1", id);
        jdbc.update("update jobs_event set job_id = ?, idx = 99 where task_id = ? and idx = 2", id + "00000063", id);
        shop.gate.countDown();
        equalsRedis(id);
    }

    @Test
    void aJobThatIsRevivedLaterIsCopiedAgain() {
        String id = batches.create("enrollment", batch -> batch.add(JobCall.of(Shop::die, 1L)));
        equalsRedis(id);
        shop.healed = true;
        assertThat(batches.retryDead(id)).isEqualTo(1);
        await().atMost(PATIENCE).until(() -> history.task(id)
                .filter(task -> task.complete() && task.succeeded() == 1)
                .isPresent());
        equalsRedis(id);
    }

    /** The pages that a process has copied before it died are those of another state. */
    @Test
    void aBatchThatChangesAfterAPartOfItWasCopiedIsCopiedFromItsBeginning() {
        app.getBean(HistoryLifecycle.class).stop();
        try {
            String id = batches.create("enrollment", batch -> batch.add(JobCall.of(Shop::die, 1L)));
            await().atMost(PATIENCE).until(() -> batches.find(id).orElseThrow().isFinished());
            own.tasks().beginCopy(id, TaskTable.version(batches.find(id).orElseThrow()));
            own.tasks().copiedTo(id, 0);
            shop.healed = true;
            assertThat(batches.retryDead(id)).isEqualTo(1);
            await().atMost(PATIENCE).until(() -> batches.find(id).orElseThrow().state() == BatchStatus.State.SUCCEEDED);

            for (int hours = 1; hours <= 3; hours++) {
                Clock later = Clock.offset(Clock.systemUTC(), Duration.ofHours(hours));
                new HistoryCopier(tables, app.getBean(BatchArchiving.class), later, Duration.ofMillis(50)).runOnce();
            }

            assertThat(history.task(id).orElseThrow().complete()).isTrue();
            equalsRedis(id);
        } finally {
            app.getBean(HistoryLifecycle.class).start();
        }
    }

    @Test
    void redisKeepsABatchUntilItIsCopied() {
        app.getBean(HistoryLifecycle.class).stop();
        String id;
        StringRedisTemplate template = app.getBean(StringRedisTemplate.class);
        try {
            id = enroll(batch -> batch.keepFor(Duration.ofMinutes(1)));
            await().atMost(PATIENCE)
                    .until(() -> template.getExpire("jobs:batch:" + id)
                            > Duration.ofDays(29).toSeconds());
        } finally {
            app.getBean(HistoryLifecycle.class).start();
        }
        equalsRedis(id);
        await().atMost(PATIENCE)
                .until(() -> template.getExpire("jobs:batch:" + id)
                        <= Duration.ofMinutes(1).toSeconds());
    }

    @Test
    void aRollbackLeavesNoRow() {
        String committed = transaction().execute(status -> {
            String id = enroll(batch -> {});
            assertThat(tables.jdbc().queryForObject("select count(*) from jobs_event", Long.class))
                    .isEqualTo(3);
            return id;
        });
        equalsRedis(committed);
        jdbc.update("delete from jobs_event");
        transaction().executeWithoutResult(status -> {
            enroll(batch -> {});
            status.setRollbackOnly();
        });
        assertThat(jdbc.queryForObject("select count(*) from jobs_event", Long.class))
                .isZero();
    }

    @Test
    void whatRunsAtOnceIsRecordedWhateverBecomesOfTheTransaction() {
        String id = transaction().execute(status -> {
            status.setRollbackOnly();
            try (OpenBatch batch = batches.open("import")) {
                batch.add(JobCall.of(Shop::enroll, 1L));
                batch.commit();
                return batch.id();
            }
        });
        equalsRedis(id);
    }

    @Test
    void aTransactionThatOnlyReadsCreatesBatches() {
        TransactionTemplate reading = transaction();
        reading.setReadOnly(true);
        equalsRedis(reading.execute(status -> enroll(batch -> {})));
    }

    @Test
    void aBatchThatIsFilledTwiceIsRecordedOnce() {
        for (int time = 0; time < 2; time++) {
            try (OpenBatch batch = batches.open("import", "file.csv")) {
                batch.add(0, JobCall.of(Shop::enroll, 10L + time));
                batch.add(1, JobCall.of(Shop::enroll, 20L + time));
            }
        }
        String id;
        try (OpenBatch batch = batches.open("import", "file.csv")) {
            batch.commit();
            id = batch.id();
        }
        equalsRedis(id);
        assertThat(history.events(EventSearch.ofTask(id), null, 10).items())
                .extracting(HistoryEvent::parameters)
                .containsExactly("[10]", "[20]");
    }

    @Test
    void jobsThatWereNeverStoredLeaveNoRow() {
        OpenBatch batch = batches.open("import");
        batch.add(JobCall.of(Shop::enroll, 1L));
        batch.flush();
        batches.cancel(batch.id());
        batch.add(JobCall.of(Shop::enroll, 2L));
        app.getBean(HistoryLifecycle.class).stop(); // or it may remove the second row at once
        try {
            assertThatThrownBy(batch::flush).isInstanceOf(BatchEndedException.class);
            assertThat(history.events(EventSearch.ofTask(batch.id()), null, 10).items())
                    .hasSize(2);
        } finally {
            app.getBean(HistoryLifecycle.class).start();
        }
        try (OpenBatch again = batch) {
            await().atMost(PATIENCE)
                    .until(() -> batches.find(again.id()).orElseThrow().pending() == 0);
        } catch (BatchEndedException e) {
            // its second job
        }
        assertThat(batches.find(batch.id()).orElseThrow().total()).isEqualTo(1);
    }

    @Test
    void hiddenArgumentsStayHidden() {
        String id = batches.create("payments", batch -> batch.add(JobCall.of(Shop::pay, "ada", "4111-1111")));
        equalsRedis(id);
        HistoryEvent payment =
                history.events(EventSearch.ofTask(id), null, 10).items().get(0);
        assertThat(payment.parameters()).isEqualTo("[\"ada\",\"•••\"]");
        assertThat(payment.messages()).containsExactly("Card ••• of ada is refused");
    }

    @Test
    void rowsTellOfEncryptedArgumentsOnlyTheirKey() {
        String id = batches.create("payouts", batch -> batch.add(JobCall.of(Shop::payOut, "sesame"))
                .add(JobCall.of(Shop::enPayOut, "sesame")));
        equalsRedis(id);
        String alone = jobs.enqueue(Shop::enPayOut, "sesame");
        String failed = jobs.enqueue(Shop::enPayOutAbroad, "sesame");
        await().atMost(PATIENCE)
                .until(() -> history.event(alone).isPresent()
                        && history.event(failed).isPresent());

        assertThat(jdbc.queryForList("select * from jobs_event").toString())
                .contains("[\"encrypted (key k1)\"]", "•••")
                .doesNotContain("sesame", "A256GCM");
        assertThat(history.event(failed).orElseThrow().messages())
                .containsExactly("java.lang.IllegalStateException: •••");
    }

    @Test
    void jobsOutsideBatchesAreRecordedByNameOrQueue() {
        String named = jobs.enqueue(Shop::enroll, 1L);
        String queued = jobs.queue("audited").enqueue(Shop::refuse, 2L);
        String neither = jobs.enqueue(Shop::refuse, 3L);
        await().atMost(PATIENCE).until(() -> history.event(named).isPresent());
        HistoryEvent first = history.event(named).orElseThrow();
        assertThat(first.task()).isNull();
        assertThat(first.state()).isEqualTo(BatchJobState.SUCCEEDED);
        assertThat(first.parameters()).isEqualTo("[1]");
        assertThat(queued).isNotNull(); // no worker serves that queue
        assertThat(history.event(queued)).isEmpty();
        assertThat(history.event(neither)).isEmpty();
    }

    @Test
    void anEarlierEndChangesNothing() {
        Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS); // younger than what is deleted
        NewEvent first = new NewEvent("a", null, 0, "A", "default", BatchJobState.ENQUEUED, "[]", null, null, now);
        End failed = new End("a", first, BatchJobState.RETRYING, "[\"no\"]", "E", 1, now, now);
        End done = new End("a", first, BatchJobState.SUCCEEDED, null, null, 2, now, now.plusSeconds(5));
        own.events().end(List.of(failed, done));
        own.events().end(List.of(failed));
        HistoryEvent job = history.event("a").orElseThrow();
        assertThat(job.state()).isEqualTo(BatchJobState.SUCCEEDED);
        assertThat(job.attempts()).isEqualTo(2);
        assertThat(job.messages()).containsExactly("no");
        own.events().end(List.of(new End("a", first, BatchJobState.RETRYING, null, null, 2, now, now)));
        assertThat(history.event("a").orElseThrow().state()).isEqualTo(BatchJobState.SUCCEEDED);
    }

    @Test
    void aJobThatIsRevivedEndsAgainUnderTheSameAttempt() {
        Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS); // younger than what is deleted
        NewEvent first = new NewEvent("a", null, 0, "A", "default", BatchJobState.ENQUEUED, "[]", null, null, now);
        own.events().end(List.of(new End("a", first, BatchJobState.DEAD, null, "E", 3, now, now.plusSeconds(1))));
        End revived =
                new End("a", first, BatchJobState.SUCCEEDED, null, null, 3, now.plusSeconds(60), now.plusSeconds(61));
        own.events().end(List.of(revived));
        own.events().end(List.of(new End("a", first, BatchJobState.DEAD, null, "E", 3, now, now.plusSeconds(1))));
        HistoryEvent job = history.event("a").orElseThrow();
        assertThat(job.state()).isEqualTo(BatchJobState.SUCCEEDED);
        assertThat(job.endedAt()).isEqualTo(now.plusSeconds(61));
    }

    @Test
    void jobsOfABatchWithoutHistoryAreNotRecorded() {
        String id = enroll(batch -> {});
        awaitComplete(id);
        jdbc.update("delete from jobs_task");
        jdbc.update("delete from jobs_event");
        app.getBean(HistoryJournal.class)
                .adding(id, List.of(new BatchJournal.Entry(id + "80000000", 1L << 31, null)), false);
        assertThat(jdbc.queryForObject("select count(*) from jobs_event", Long.class))
                .isZero();
    }

    @Test
    void anEndAfterRedisForgotTheBatchLeavesItAsItWas() {
        String id = enroll(batch -> {});
        awaitComplete(id);
        app.getBean(HistoryLifecycle.class).stop();
        try {
            own.tasks().gone(id, HistoryTask.State.SUCCEEDED);
            own.inTransaction(() -> own.tasks().happened(List.of(id), Instant.now()));
        } finally {
            app.getBean(HistoryLifecycle.class).start();
        }
        assertThat(history.task(id).orElseThrow().complete()).isTrue();
    }

    @Test
    void theTablesMayBeThere() {
        database.run("dev/jobs/history/" + database.kind() + "/R__jobs_history_001.sql");
        assertThat(history.tasks(TaskSearch.all(), null, 1).items()).isEmpty();
    }

    @Test
    void manyPagesAreCopied() {
        String id = batches.create(
                "large",
                batch -> batch.addAll(
                        LongStream.range(0, 2_500).mapToObj(product -> JobCall.of(Shop::enroll, product))));
        awaitComplete(id);
        String everySecond = database.kind().equals("sqlserver") ? "idx % 2 = 0" : "mod(idx, 2) = 0";
        assertThat(jdbc.update("update jobs_event set messages = null where " + everySecond))
                .isEqualTo(1_250);
        jdbc.update("update jobs_task set copied = null");
        awaitComplete(id);
        assertThat(jdbc.queryForObject("select count(*) from jobs_event where messages is null", Long.class))
                .isZero();
    }

    @Test
    void anEndThatTheDatabaseRefusesKeepsNoOtherOut() {
        HistoryWriter writer = new HistoryWriter(tables, Clock.systemUTC(), Duration.ofMillis(50));
        Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS); // younger than what is deleted
        jdbc.execute("create unique index only_one on jobs_event (job)");
        try {
            for (String jid : List.of("a", "b", "c")) {
                NewEvent first = new NewEvent(
                        jid,
                        null,
                        0,
                        jid.equals("c") ? "C" : "A",
                        "default",
                        BatchJobState.ENQUEUED,
                        "[\"zero \0 half \ud800\"]",
                        null,
                        null,
                        now);
                writer.add(new End(jid, first, BatchJobState.SUCCEEDED, null, null, 1, now, now));
            }
            assertThat(writer.waiting()).isEqualTo(3);
            writer.runOnce();
        } finally {
            jdbc.execute("drop index only_one"
                    + (Set.of(Dialect.MYSQL, Dialect.SQL_SERVER).contains(tables.dialect()) ? " on jobs_event" : ""));
        }
        assertThat(history.event("a").orElseThrow().parameters()).isEqualTo("[\"zero � half �\"]");
        assertThat(history.event("b")).isEmpty();
        assertThat(history.event("c")).isPresent();
        assertThat(writer.dropped()).isZero();
    }

    @Test
    void searchesCombine() {
        app.getBean(HistoryLifecycle.class).stop(); // nothing of this is in Redis
        try {
            search();
        } finally {
            app.getBean(HistoryLifecycle.class).start();
        }
    }

    private void search() {
        Instant start = Instant.ofEpochMilli(1_700_000_000_000L);
        List<NewEvent> rows = new ArrayList<>();
        for (int batch = 0; batch < 4; batch++) {
            String id = String.format("%016x", batch);
            own.tasks().add(id, batch % 2 == 0 ? "even" : "odd", start.plusSeconds(batch));
            jdbc.update("insert into jobs_task_tag values (?, ?)", id, "tag" + batch % 2);
            for (int job = 0; job < 10; job++) {
                rows.add(new NewEvent(
                        id + String.format("%08x", job),
                        id,
                        job,
                        job < 5 ? "A" : "B",
                        "default",
                        job % 5 == 0 ? BatchJobState.FAILED : BatchJobState.SUCCEEDED,
                        "[" + job + "]",
                        job % 5 == 0 ? "[\"The seller Müller@example.com has no 50%-licence " + batch + "\"]" : null,
                        null,
                        start.plusSeconds(batch * 10 + job)));
            }
        }
        own.events().add(rows);
        EventSearch all = EventSearch.all();
        assertThat(count(all)).isEqualTo(40);
        assertThat(count(all.withStates(BatchJobState.FAILED))).isEqualTo(8);
        assertThat(count(all.withStates(BatchJobState.FAILED).withJob("A"))).isEqualTo(4);
        assertThat(count(all.withTag("tag1"))).isEqualTo(20);
        assertThat(count(all.withTag("unknown"))).isZero();
        assertThat(count(all.withTag("tag1").withStates(BatchJobState.FAILED, BatchJobState.SUCCEEDED)))
                .isEqualTo(20);
        assertThat(count(all.from(start.plusSeconds(35)))).isEqualTo(5);
        assertThat(count(all.from(start.plusSeconds(5)).until(start.plusSeconds(7))))
                .isEqualTo(2);
        assertThat(count(all.withQueue("other"))).isZero();
        assertThat(count(all.withText("SELLER"))).isEqualTo(8);
        assertThat(count(all.withText("sell lic"))).isEqualTo(8);
        assertThat(count(all.withText("Müller@example.com"))).isEqualTo(8);
        assertThat(count(all.withText("the seller has no"))).isEqualTo(8);
        assertThat(count(all.withText("seller buyer"))).isZero();
        assertThat(count(all.withText("sel* %' & | ! <b>"))).isIn(0, 8);
        assertThat(count(all.withText(" ?! ").withJob("A"))).isEqualTo(20);
        assertThat(count(EventSearch.ofTask(String.format("%016x", 1)).withText("licence")))
                .isEqualTo(2);
        assertThat(pages(all, 7))
                .hasSize(40)
                .doesNotHaveDuplicates()
                .startsWith(rows.get(39).jid());
        assertThat(pages(EventSearch.ofTask(String.format("%016x", 1)), 3))
                .containsExactlyElementsOf(
                        rows.subList(10, 20).stream().map(NewEvent::jid).toList());
        assertThat(pages(all.by(Order.ENDED), 3)).isEmpty();
        own.events()
                .end(List.of(
                        new End(
                                rows.get(2).jid(),
                                null,
                                BatchJobState.SUCCEEDED,
                                null,
                                null,
                                1,
                                start,
                                start.plusMillis(2)),
                        new End(
                                rows.get(1).jid(),
                                null,
                                BatchJobState.SUCCEEDED,
                                null,
                                null,
                                1,
                                start,
                                start.plusMillis(3)),
                        new End(
                                rows.get(3).jid(),
                                null,
                                BatchJobState.SUCCEEDED,
                                null,
                                null,
                                1,
                                start,
                                start.plusMillis(3))));
        assertThat(pages(EventSearch.ofTask(String.format("%016x", 0)).by(Order.ENDED), 1))
                .containsExactly(
                        rows.get(3).jid(), rows.get(1).jid(), rows.get(2).jid());

        TaskSearch tasks = TaskSearch.all();
        assertThat(tasks(tasks)).containsExactly("3", "2", "1", "0");
        assertThat(tasks(tasks.withName("even"))).containsExactly("2", "0");
        assertThat(tasks(tasks.withTag("tag1").until(start.plusSeconds(3)))).containsExactly("1");
        assertThat(tasks(tasks.withTag("unknown"))).isEmpty();
        assertThat(tasks(tasks.withState(HistoryTask.State.FILLING).from(start.plusSeconds(2))))
                .containsExactly("3", "2");
        assertThat(tasks(tasks.withCreatedBy("ada"))).isEmpty();
        assertThat(tasks(tasks.withParent("x"))).isEmpty();
    }

    private int count(EventSearch search) {
        return history.events(search, null, 100).items().size();
    }

    private List<String> pages(EventSearch search, int limit) {
        List<String> jids = new ArrayList<>();
        String after = null;
        do {
            HistoryPage<HistoryEvent> page = history.events(search, after, limit);
            page.items().forEach(job -> jids.add(job.jid()));
            after = page.next();
        } while (after != null);
        return jids;
    }

    private List<String> tasks(TaskSearch search) {
        List<String> ids = new ArrayList<>();
        String after = null;
        do {
            HistoryPage<HistoryTask> page = history.tasks(search, after, 3);
            page.items().forEach(task -> ids.add(task.id().substring(15)));
            after = page.next();
        } while (after != null);
        return ids;
    }

    /** Drivers may read times in the zone of the JVM, which may not have them. */
    @Test
    void anHourThatTheZoneOfTheJvmSkipsHidesNoJob() {
        LocalDateTime skipped = nextSkippedHour("Europe/Berlin"); // to come, so that it isn't deleted as old
        List<NewEvent> rows = new ArrayList<>();
        List<End> ends = new ArrayList<>();
        for (String minute : List.of("50", "51", "70")) {
            Instant time = skipped.plusMinutes(Long.parseLong(minute)).toInstant(ZoneOffset.UTC);
            rows.add(new NewEvent(minute, null, 0, "A", "q", BatchJobState.SUCCEEDED, null, null, null, time));
            ends.add(new End(minute, null, BatchJobState.SUCCEEDED, "[\"spring\"]", null, 1, time, time));
        }
        own.events().add(rows);
        own.events().end(ends);
        TimeZone zone = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
        try {
            for (Order order : List.of(Order.NEWEST, Order.ENDED)) {
                EventSearch search = EventSearch.all().withText("spring").by(order);
                List<String> found = new ArrayList<>();
                String after = null;
                do {
                    HistoryPage<HistoryEvent> page = history.events(search, after, 1);
                    page.items().forEach(event -> found.add(event.jid()));
                    after = page.next();
                } while (after != null);
                assertThat(found).as("by %s", order).containsExactly("70", "51", "50");
            }
        } finally {
            TimeZone.setDefault(zone);
        }
    }

    /** When it would begin. */
    private static LocalDateTime nextSkippedHour(String zone) {
        ZoneRules rules = ZoneId.of(zone).getRules();
        ZoneOffsetTransition next = rules.nextTransition(Instant.now());
        return (next.isGap() ? next : rules.nextTransition(next.getInstant())).getDateTimeBefore();
    }

    @Test
    void badPagesAreRefused() {
        assertThatThrownBy(() -> history.events(EventSearch.all(), "x", 10))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'after'");
        assertThatThrownBy(() -> history.tasks(TaskSearch.all(), null, 1_001))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 to 1000");
        assertThatThrownBy(() -> EventSearch.all().by(Order.INDEX)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatIsOldIsDeletedInSlices() {
        app.getBean(HistoryLifecycle.class).stop();
        try {
            delete();
        } finally {
            app.getBean(HistoryLifecycle.class).start();
        }
    }

    private void delete() {
        Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS); // younger than what is deleted
        List<NewEvent> rows = new ArrayList<>();
        for (String id : List.of("old", "new")) {
            own.tasks().add(id, "n", now.minus(id.equals("old") ? Duration.ofDays(91) : Duration.ofDays(1)));
            for (int job = 0; job < EventTable.SLICE + 100; job++) {
                rows.add(new NewEvent(id + job, id, job, "A", "q", BatchJobState.SUCCEEDED, null, null, null, now));
            }
        }
        own.events().add(rows);
        Instant longAgo = now.minus(Duration.ofDays(91));
        NewEvent out = new NewEvent("out", null, 0, "A", "q", BatchJobState.ENQUEUED, null, null, null, longAgo);
        own.events().end(List.of(new End("out", out, BatchJobState.SUCCEEDED, null, null, 1, longAgo, longAgo)));
        HistoryRetention retention =
                new HistoryRetention(tables, Clock.fixed(now, ZoneOffset.UTC), Duration.ofDays(90));
        retention.runOnce();
        assertThat(history.task("old")).as("a batch that may still be in Redis").isPresent();
        jdbc.update("update jobs_task set look_at = null");
        assertThat(retention.runOnce()).isLessThan(Duration.ofSeconds(1));
        assertThat(history.task("old")).isEmpty();
        assertThat(jdbc.queryForObject("select count(*) from jobs_event where task_id = 'old'", Long.class))
                .isEqualTo(100);
        retention.runOnce();
        assertThat(retention.runOnce()).isGreaterThan(Duration.ofMinutes(1));
        assertThat(jdbc.queryForObject("select count(*) from jobs_event", Long.class))
                .isEqualTo(EventTable.SLICE + 100);
        assertThat(history.task("new")).isPresent();
        assertThat(history.event("out")).isEmpty();
    }

    @Test
    void aBatchThatRedisLostIsGone() {
        app.getBean(HistoryLifecycle.class).stop();
        Instant now = Instant.now();
        try {
            own.tasks().add("00000000000000aa", "lost", now);
            own.tasks().add("00000000000000bb", "never committed", now.minus(Duration.ofHours(26)));
            own.tasks().add("00000000000000cc", "not committed yet", now);
            own.tasks().add("00000000000000dd", "with jobs, never committed", now.minus(Duration.ofHours(26)));
            own.events()
                    .add(List.of(new NewEvent(
                            "00000000000000dd00000000",
                            "00000000000000dd",
                            0,
                            "A",
                            "q",
                            BatchJobState.ENQUEUED,
                            "[]",
                            null,
                            null,
                            now)));
            own.events()
                    .add(List.of(new NewEvent(
                            "00000000000000aa00000000",
                            "00000000000000aa",
                            0,
                            "A",
                            "q",
                            BatchJobState.ENQUEUED,
                            "[]",
                            null,
                            null,
                            now)));
            own.events()
                    .end(List.of(new End(
                            "00000000000000aa00000000", null, BatchJobState.SUCCEEDED, null, null, 1, now, now)));
        } finally {
            app.getBean(HistoryLifecycle.class).start();
        }
        await().atMost(PATIENCE)
                .until(() -> history.task("00000000000000aa").orElseThrow().state() == HistoryTask.State.GONE);
        await().atMost(PATIENCE).until(() -> history.task("00000000000000bb").isEmpty());
        await().atMost(PATIENCE)
                .until(() -> history.task("00000000000000dd").orElseThrow().state() == HistoryTask.State.GONE);
        assertThat(history.task("00000000000000cc").orElseThrow().state()).isEqualTo(HistoryTask.State.FILLING);
    }

    @Test
    void aBatchThatNeverOpenedStaysWaiting(CapturedOutput output) {
        String first = batches.create("enrollment", batch -> batch.add(JobCall.of(Shop::refuse, 1L))
                .then("after", then -> then.add(JobCall.of(Shop::enroll, 2L))));
        TaskSearch waiting = TaskSearch.all().withName("after").withState(HistoryTask.State.WAITING);
        await().atMost(PATIENCE)
                .until(() -> history.tasks(waiting, null, 10).items().size() == 1);
        awaitComplete(first);
        app.getBean(HistoryLifecycle.class).stop();
        try {
            String id = history.tasks(waiting, null, 10).items().get(0).id();
            StringRedisTemplate redis = app.getBean(StringRedisTemplate.class);
            redis.delete(redis.keys("jobs:batch:" + id + "*")); // as it expires
            Clock later = Clock.offset(Clock.systemUTC(), Duration.ofHours(2));
            new HistoryCopier(tables, app.getBean(BatchArchiving.class), later, Duration.ofMillis(50)).runOnce();

            assertThat(history.task(id).orElseThrow().state()).isEqualTo(HistoryTask.State.WAITING);
            assertThat(jdbc.queryForList("select look_at from jobs_task where id = ?", Object.class, id))
                    .containsOnlyNulls();
            assertThat(output).doesNotContain("Batch " + id + " is not in Redis, and");
        } finally {
            app.getBean(HistoryLifecycle.class).start();
        }
    }
}
