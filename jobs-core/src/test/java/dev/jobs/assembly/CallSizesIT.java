package dev.jobs.assembly;

import static dev.jobs.assembly.EngineTestBed.payload;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.ArgumentMasking;
import dev.jobs.Job;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.RetryPolicy;
import dev.jobs.admin.BulkResult;
import dev.jobs.admin.JobAddress;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.Order;
import dev.jobs.admin.Page;
import dev.jobs.admin.ScanBudget;
import dev.jobs.batches.BatchJob;
import dev.jobs.batches.BatchPage;
import dev.jobs.batches.BatchReader;
import dev.jobs.ends.CancelUpkeep;
import dev.jobs.ends.Cancellations;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.engine.MeasuredCalls;
import dev.jobs.engine.MeasuredCalls.Measured;
import dev.jobs.leases.InFlightJobs;
import dev.jobs.limits.LimitStates;
import dev.jobs.lists.JobQueues;
import dev.jobs.lists.JobSets;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.Effect;
import dev.jobs.testing.RedisFixture;
import dev.jobs.trash.Trash.Restored;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * However many large jobs there are, no call to Redis carries more of them than it may, or a single one. Here that is
 * little; {@link MegabyteCallSizesIT} has the limits of applications.
 */
class CallSizesIT {

    private static final int JOBS = 40;
    private static final int OTHERS = 20;

    private static final byte[] CLEARED = "cleared".getBytes(UTF_8);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final ScanBudget BUDGET = new ScanBudget(10_000, Duration.ofSeconds(10));

    /** One for each class, of which there are two. */
    @AutoClose
    static RedisFixture redis;

    private MeasuredCalls calls;
    private RedisConnections connections;

    @BeforeAll
    static void start() {
        redis = RedisFixture.start();
    }

    @BeforeEach
    void connect() {
        redis.flush();
        calls = new MeasuredCalls(redis, bounds());
        connections = calls.connections(new RedisKeys(""));
    }

    @AfterEach
    void disconnect() {
        calls.close();
        redis.flush();
    }

    CallBounds bounds() {
        return MeasuredCalls.SMALL;
    }

    private String large(String name, int number) {
        return payload(name, "j" + number, "[\"" + calls.ballast() + "\"]", "\"queue\":\"default\"", "\"retry\":true");
    }

    private void store(String set, int from, int count, String name) {
        for (int i = from; i < from + count; i++) {
            redis.texts().zadd(set, i, large(name, i));
        }
    }

    /** Jobs that wait until all threads are taken, and fail. */
    static final class Jobs {

        final CountDownLatch gate = new CountDownLatch(1);

        @Job("FailsTogether")
        void fails(String ballast) throws InterruptedException {
            gate.await();
            throw new IllegalStateException("as it was told");
        }
    }

    @LongTest
    @Test
    void ofAnEngine() {
        runAnEngine(() -> {});
    }

    /** Each beat is two seconds after the other. */
    @LongTest
    @Test
    void ofBeatsWhileNothingChanges() {
        runAnEngine(this::assertBeatsAreSmall);
    }

    /** @param whileJobsRun called once all threads are taken and shown */
    private void runAnEngine(Runnable whileJobsRun) {
        int threads = 15;
        store("schedule", 0, JOBS, "FailsTogether");
        for (int i = 0; i < OTHERS; i++) {
            redis.texts().hset("jobs:in:gone", "0:1:" + i + ":default", large("FailsTogether", 1_000 + i));
        }
        redis.texts().hincrby("jobs:ledger", "claimed", OTHERS);
        redis.texts().sadd("jobs:cleared", "one");
        for (int i = 0; i < OTHERS; i++) {
            redis.texts().lpush("jobs:cleared:one", large("FailsTogether", 2_000 + i));
        }
        Jobs jobs = new Jobs();
        try (EngineTestBed bed = new EngineTestBed(redis, connections)) {
            bed.config = bed.config.with(values -> values.pollInterval = Duration.ofMillis(100));
            bed.effects = stored -> List.of(new Effect("count", CLEARED, "deleted", List.of(CLEARED)));
            bed.policies.add((job, count, failure) -> RetryPolicy.Decision.retryIn(Duration.ofHours(1)));
            bed.capsules(CapsuleConfig.of("default", threads, List.of("default")));
            JobEngine engine = bed.start(jobs);
            String work = engine.health().identity() + ":work";
            await("promotion").atMost(PATIENCE).until(() -> redis.texts().zcard("schedule") == 0);
            await("recovery").atMost(PATIENCE).until(() -> redis.texts().exists("jobs:in:gone") == 0);
            await("cleared queues").atMost(PATIENCE).until(() -> redis.texts().exists("jobs:cleared") == 0);
            assertThat(redis.texts().hget("cleared", "cleared")).isEqualTo(Integer.toString(OTHERS));
            await("all threads").atMost(PATIENCE).until(() -> redis.texts().hlen(work) == threads);
            whileJobsRun.run();
            jobs.gate.countDown();
            await("retries").atMost(PATIENCE).until(() -> redis.texts().zcard("retry") == JOBS + OTHERS);
            bed.stopEngines();
            assertThat(bed.books().conservationError()).isZero();
            assertThat(bed.failed()).isEqualTo(JOBS + OTHERS);
        }
        calls.assertSmall("beat", "process", "claim", "due", "move", "scan", "reap", "read_part");
        assertThat(calls.of("process").request()).isLessThan(bounds().bytes());
    }

    /** However many jobs run, a beat carries only changes. */
    private void assertBeatsAreSmall() {
        long from = calls.of("process").calls();
        await("a beat after all are shown")
                .atMost(PATIENCE)
                .until(() -> calls.of("process").calls() > from);
        Measured before = calls.of("process");
        await("beats").atMost(PATIENCE).until(() -> calls.of("process").calls() >= before.calls() + 2);
        Measured after = calls.of("process");
        assertThat(after.bytes() - before.bytes())
                .as("bytes of beats in which nothing changes")
                .isLessThan(1_000 * (after.calls() - before.calls() + 1));
    }

    @Test
    void ofTheSearchForJobsThatAreCancelled() {
        store("retry", 0, JOBS, "A");
        for (int i = 0; i < JOBS; i++) {
            redis.texts().lpush("queue:default", large("A", 500 + i));
            redis.texts().zadd("jobs:parked:api", 0, "5\n0000000000000001\ndefault\n1\n" + large("A", 900 + i));
        }
        redis.texts().sadd("queues", "default");
        redis.texts().hset("jobs:limits", "d:api", "1");
        try (EngineTestBed bed = new EngineTestBed(redis, connections);
                ChoreTestBed process = new ChoreTestBed(bed)) {
            Cancellations cancellations = new Cancellations(process.connection, process.keys);
            for (int i = 0; i < 3 * OTHERS; i++) {
                cancellations.cancel("ended" + i, Instant.EPOCH);
            }
            CancelUpkeep upkeep = new CancelUpkeep(
                    cancellations,
                    new JobSets(
                            process.connection,
                            process.keys,
                            new DeadSetBounds(100, Duration.ofDays(1)),
                            process.context.effects().all()),
                    new JobQueues(process.connection, process.keys),
                    new LimitStates(process.connection, process.keys),
                    new InFlightJobs(process.connection, process.keys),
                    new BatchReader(process.connection, process.keys),
                    process.context,
                    OTHERS);
            while (upkeep.runOnce().isZero()) {}
            assertThat(cancellations.count()).isEqualTo(OTHERS);
        }
        calls.assertSmall("scan", "read_part", "cancel_forget");
    }

    @LongTest
    @Test
    void ofAnAdministrator() {
        store("retry", 0, JOBS, "A");
        for (int i = 0; i < JOBS; i++) {
            redis.texts().lpush("queue:default", large("A", 500 + i));
        }
        redis.texts().sadd("queues", "default");
        redis.texts().sadd("processes", "ruby:1:a");
        redis.texts().hset("ruby:1:a", Map.of("info", "{\"pid\":1}", "busy", "20"));
        for (int i = 0; i < OTHERS; i++) {
            redis.texts().hset("ruby:1:a:work", "t" + i, "{\"queue\":\"q\",\"payload\":" + large("A", i) + "}");
        }
        for (int i = 0; i < 100; i++) {
            redis.texts().sadd("queues", "middle" + i);
            redis.texts().lpush("queue:middle" + i, "{\"args\":\"" + "x".repeat(bounds().bytes() / 17) + "\"}");
        }
        try (JobsAdmin admin = new JobsAdmin(
                connections, new DeadSetBounds(10_000, Duration.ofDays(180)), JobHooks.none(), Clock.systemUTC())) {
            look(admin);
            act(admin);
        }
        calls.assertSmall("queue_heads", "queue_sizes", "reading", "read_part", "scan", "move", "trash", "restore");
    }

    private void look(JobsAdmin admin) {
        assertThat(admin.queues().all()).hasSize(101);
        assertThat(admin.queues().sizes()).hasSize(101);
        for (int process = 0; process < 2; process++) {
            assertThat(admin.gauges().read())
                    .satisfies(read -> assertThat(read.queues()).hasSize(101));
        }
        assertThat(admin.processes().work(admin.processes().all(), 1_000)).hasSize(OTHERS);
        assertThat(admin.sets().findById(JobSet.RETRY, "j7", BUDGET).items()).hasSize(1);
        assertThat(admin.sets()
                        .jobs(JobSet.RETRY, job -> job.contains("xxx"), 0, 20, BUDGET)
                        .items())
                .isNotEmpty();
        assertThat(admin.queues()
                        .jobs("default", Order.NEWEST_FIRST, job -> job.contains("xxx"), 0, 20, BUDGET)
                        .items())
                .isNotEmpty();
        assertThat(admin.sets().count(JobSet.RETRY, job -> true, BUDGET).count())
                .isEqualTo(JOBS);
        Page<ListedJob> slice = admin.queues().jobs("default", Order.OLDEST_FIRST, job -> true, 3, 30, BUDGET);
        List<JobAddress> addresses = slice.items().stream()
                .map(each -> new JobAddress(0, each.index() + 5, each.job().digest()))
                .toList();
        assertThat(admin.queues().findAt("default", addresses, BUDGET).items()).hasSameSizeAs(addresses);
        assertThat(admin.sets()
                        .failures(JobSet.RETRY, new ArgumentMasking(new JobRegistry(List.of()), List.of()), BUDGET)
                        .looked())
                .isEqualTo(JOBS);
    }

    /** Each job of a page may have left a large result, and messages. */
    @Test
    void resultsOfABatchAreReadInParts() {
        String batch = "0123456789abcdef";
        String result = '"' + "x".repeat(bounds().bytes() / 16) + '"';
        redis.texts().set("jobs:batch:" + batch + ":s", "s".repeat(300));
        for (int i = 0; i < 300; i++) {
            redis.texts().hset("jobs:batch:" + batch + ":j", Map.of("r" + i, result, "m" + i, "\"written\""));
        }

        BatchReader reader = new BatchReader(connections.open("reader"), connections.keys());
        List<BatchJob> jobs = new ArrayList<>();
        BatchPage page;
        long after = -1;
        do {
            page = reader.jobs(batch, Set.of(), after, 1_000);
            jobs.addAll(page.jobs());
            after = page.next();
        } while (page.hasMore());

        assertThat(jobs).hasSize(300).allSatisfy(job -> {
            assertThat(job.messages()).containsExactly("written");
            assertThat(job.result()).isEqualTo(result);
        });
        assertThat(calls.together()).as("of a page").isLessThan(bounds().bytes() + calls.rest());
        calls.assertSmall("batch_texts");
    }

    private void act(JobsAdmin admin) {
        assertThat(admin.sets()
                        .all(JobSet.RETRY, job -> true)
                        .reschedule(Instant.ofEpochSecond(9_000_000_000L))
                        .done())
                .isEqualTo(JOBS);
        assertThat(admin.sets().all(JobSet.RETRY, job -> true).kill().done()).isEqualTo(JOBS);
        assertThat(admin.sets().all(JobSet.DEAD, job -> job.score() > 0).run().done())
                .isEqualTo(JOBS);
        List<ListedJob> some = admin.queues()
                .jobs("default", Order.OLDEST_FIRST, job -> true, 0, 10, BUDGET)
                .items();
        assertThat(admin.trash().delete("default", some, "one", done -> {}).restorable())
                .isEqualTo(some.size());
        assertThat(admin.trash().jobs(0, 100).items()).hasSize(some.size());
        restore(admin, "one", some.size());
        redis.texts().ltrim("queue:default", -30, -1);
        assertThat(admin.trash()
                        .clear("default", "two", done -> {})
                        .orElseThrow()
                        .restorable())
                .isEqualTo(30);
        restore(admin, "two", 30);
        store("dead", 0, 30, "B");
        BulkResult step = admin.sets()
                .all(JobSet.DEAD, job -> true)
                .step(null, Duration.ofSeconds(10))
                .trash("three");
        restore(admin, "three", step.restorable());
    }

    private static void restore(JobsAdmin admin, String batch, long jobs) {
        long done = 0;
        Restored restored;
        do {
            restored = admin.trash().restoreBatch(batch, Duration.ofSeconds(10));
            done += restored.done();
        } while (restored.more());
        assertThat(done).isEqualTo(jobs);
    }
}
