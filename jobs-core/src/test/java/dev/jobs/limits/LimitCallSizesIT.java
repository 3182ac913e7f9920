package dev.jobs.limits;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobContext;
import dev.jobs.JobInterruptedException;
import dev.jobs.JobListener;
import dev.jobs.RetryPolicy;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.Order;
import dev.jobs.admin.ScanBudget;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.RedisBatches;
import dev.jobs.chores.EffectUpkeep;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.ChoreTestBed;
import dev.jobs.engine.MeasuredCalls;
import dev.jobs.lists.LostEffects;
import dev.jobs.ordered.OrderRule;
import dev.jobs.ordered.OrderRules;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.results.JobReports;
import dev.jobs.testing.RedisFixture;
import dev.jobs.trash.Trash.Restored;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Calls of limits, ordered queues and reports carry a hundred jobs at most, and no more bytes of them than a call may or
 * a single one. Here that is little; {@link MegabyteLimitCallSizesIT} has the limits of applications.
 */
class LimitCallSizesIT {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final ScanBudget BUDGET = new ScanBudget(10_000, Duration.ofSeconds(10));
    private static final OrderRules RULES = new OrderRules(Map.of("imports", OrderRule.fair()));

    /** Most keys and arguments of a call besides those of its jobs. */
    private static final int FEW = 60;

    /** One for each class, of which there are two. */
    @AutoClose
    static RedisFixture redis;

    private final Jobs jobs = new Jobs("x".repeat(bounds().bytes() / 1_048)); // at most a thousand are kept
    private MeasuredCalls calls;
    private EngineTestBed bed;
    private RedisJobClient client;
    private RedisBatches batches;
    private JobsAdmin admin;

    static final class Jobs {

        final CountDownLatch gate = new CountDownLatch(1);
        final AtomicInteger running = new AtomicInteger();
        final AtomicInteger ran = new AtomicInteger();
        final AtomicInteger interruptions = new AtomicInteger(3);
        private final String line;

        /** @param line what is logged again and again */
        Jobs(String line) {
            this.line = line;
        }

        @Job("Limited")
        @Limit(name = "big", key = "{0}", concurrency = 2)
        void limited(int key, String ballast) throws InterruptedException {
            running.incrementAndGet();
            gate.await();
            ran.incrementAndGet();
        }

        @Job("Three")
        @Limit(name = "one", key = "{0}", concurrency = 1)
        @Limit(name = "two", key = "{0}", concurrency = 1)
        @Limit(name = "three", key = "{0}", concurrency = 1)
        void three(String key) {
            ran.incrementAndGet();
        }

        @Job(value = "Import", queue = "imports", key = "{0}")
        void imports(String tenant, String ballast, JobContext job) {
            if (interruptions.getAndDecrement() > 0) {
                throw new JobInterruptedException("others first");
            }
            if (tenant.equals("fails") && job.attempt() == 1) {
                throw new IllegalStateException("as it was told");
            }
            ran.incrementAndGet();
        }

        @Job("Reports")
        void reports(int lines, JobContext job) throws InterruptedException {
            job.progress(1, 2);
            for (int i = 0; i < lines; i++) {
                job.log(line);
            }
            running.incrementAndGet();
            gate.await();
        }
    }

    @BeforeAll
    static void start() {
        redis = RedisFixture.start();
    }

    @BeforeEach
    void open() {
        redis.flush();
        calls = new MeasuredCalls(redis, bounds());
        RedisConnections connections = calls.connections(new RedisKeys("", RULES));
        bed = new EngineTestBed(redis, connections);
        bed.config = bed.config.with(values -> values.pollInterval = Duration.ofMillis(100));
        client = bed.client(jobs);
        batches = new RedisBatches(connections, client, new SecureRandom());
        bed.batches = batches;
        admin = bed.admin();
    }

    @AfterEach
    void close() {
        jobs.gate.countDown();
        bed.close();
        batches.close();
        calls.close();
        redis.flush();
    }

    CallBounds bounds() {
        return MeasuredCalls.SMALL;
    }

    /** With the limits of applications, as much as a client takes, nearly. */
    private String almostACall() {
        return "x".repeat(bounds().bytes() - bounds().bytes() / 20);
    }

    private void awaitEmpty(String key) {
        await(key).atMost(PATIENCE).until(() -> redis.texts().exists(key) == 0);
    }

    @LongTest
    @Test
    void ofLargeJobsAtALimit() {
        int each = 10;
        redis.texts().hset("jobs:limits", Map.of("s:queue:default", "12", "queues", "default"));
        bed.capsules(CapsuleConfig.of("default", 15, List.of("default")));
        for (int i = 0; i < 2 * each; i++) {
            bed.push("default", payload("Limited", "j" + i, "[" + i % 2 + ",\"" + calls.ballast() + "\"]"));
        }
        bed.start(jobs);
        await("parked").atMost(PATIENCE).until(() -> redis.texts().zcard("jobs:parked:big") == 2 * each - 4);

        LimitsAdmin limits = admin.limits();
        List<LimitedJob> waiting = limits.waiting("big", "0", 0, 200).items();
        assertThat(waiting).hasSize(each - 2);
        assertThat(limits.waiting("big", "0", 3, 2).items())
                .extracting(job -> job.job().jid())
                .containsExactly(
                        waiting.get(3).job().jid(), waiting.get(4).job().jid());
        assertThat(limits.waiting("big", "none", 0, 200).items()).isEmpty();
        assertThat(limits.holders("big", "1")).hasSize(2).allSatisfy(holder -> assertThat(holder.job())
                .isNotNull());
        assertThat(limits.whyWaiting(waiting.get(0))).hasSize(2);
        assertThat(limits.findById("j19", BUDGET).items()).hasSize(1);
        assertThat(limits.set("big", 5)).isTrue();
        await("more at once").atMost(PATIENCE).until(() -> jobs.running.get() == 10);
        jobs.gate.countDown();
        await("all").atMost(PATIENCE).until(() -> jobs.ran.get() == 2 * each);
        bed.awaitDrained("default");

        assertThat(bed.books().conservationError()).isZero();
        calls.assertSmall("claim", "admit", "wake", "limit_read", "read_part", "scan");
        assertThat(calls.of("admit").request())
                .as("payloads stay where they are")
                .isLessThan(calls.job() / 10);
        assertThat(calls.of("wake").answer()).isLessThan(calls.job() / 10);
    }

    /** As those of a bulk call: one that is to be shown must not bring all the others along. */
    @Test
    void ofLargeJobsThatWereEnqueuedTogether() {
        int count = 12;
        redis.texts().hset("jobs:limits", "s:big", "1");
        for (int i = 0; i < count; i++) {
            String job = payload("Limited", "j" + i, "[0,\"" + almostACall() + "\"]");
            redis.texts().zadd("jobs:parked:big", 0, "0\n0000000000000007\ndefault\n1\n" + job);
            redis.texts().zadd("jobs:parked:big", 0, "0\n0000000000000008\ndefault\n1\n" + job);
        }
        LimitsAdmin limits = admin.limits();
        List<LimitedJob> waiting = limits.waiting("big", "0", 0, 200).items();
        LimitedJob last = waiting.get(count - 1);
        long before = calls.of("read_part").calls();

        assertThat(limits.findAt("big", "0", last.address()))
                .map(LimitedJob::address)
                .contains(last.address());
        assertThat(limits.findAt("big", "0", "0000000000000007_0123456789ab")).isEmpty();

        calls.assertSmall("read_part");
        assertThat(calls.of("read_part").calls() - before)
                .as("those of the next moment are not read")
                .isLessThanOrEqualTo(2 * count + 1);
    }

    /** They leave their limit from behind others, and each that runs is begun by a call of its own. */
    @LongTest
    @Test
    void ofLargeParkedJobsThatExpire() {
        int count = 12;
        redis.texts().hset("jobs:limits", "s:big", "1");
        bed.start(jobs);
        for (int i = 0; i < 2 * count; i++) {
            String expiry = i < count ? "9000000000" : "1";
            String job = payload("Limited", "j" + i, "[0,\"" + almostACall() + "\"]", "\"expiry\":" + expiry);
            String met = "1 e" + expiry + "000000 jj" + i;
            redis.texts()
                    .zadd("jobs:parked:big", 0, "0\n" + String.format("%016d", i) + "\ndefault\n" + met + "\n" + job);
        }
        redis.texts().zadd("jobs:wake", 0, "");
        await("expired")
                .atMost(PATIENCE)
                .until(() -> bed.ends.stream()
                                .filter(end -> end.ending() == JobListener.Ending.EXPIRED)
                                .count()
                        == count);
        jobs.gate.countDown();
        await("all").atMost(PATIENCE).until(() -> jobs.ran.get() == count);
        bed.awaitDrained("default");

        calls.assertSmall("claim", "admit", "wake", "parked_sweep", "in_time");
        assertThat(calls.of("parked_sweep").calls()).as("two jobs at a time").isGreaterThan(count / 2);
        assertThat(calls.of("parked_sweep").answer()).isLessThan(calls.job() / 10);
        assertThat(calls.of("parked_sweep").request()).isLessThan(calls.job() / 10);
    }

    /** Of 250 keys: as many as three calls need. */
    @LongTest
    @Test
    void ofManyJobsAtTheirLimits() {
        int count = 250;
        bed.capsules(CapsuleConfig.of("default", count, List.of("default")));
        redis.texts().hset("jobs:limits", "s:one", "1");
        for (int i = 0; i < count; i++) {
            String key = "key " + i;
            String job = payload("Three", "j" + i, "[\"" + key + "\"]");
            redis.texts().zadd("jobs:parked:one", 0, key + "\n000000000000000" + i % 10 + "\ndefault\nn\n" + job);
            redis.texts().zadd("jobs:wake", 0, "one\n" + key);
        }
        bed.start(jobs);
        await("all").atMost(PATIENCE).until(() -> jobs.ran.get() == count);
        bed.awaitDrained("default");

        assertThat(redis.texts().keys("jobs:parked:*")).isEmpty();
        calls.assertSmall("claim", "admit", "wake");
        assertThat(calls.of("wake").calls()).isGreaterThanOrEqualTo(3);
        assertThat(calls.of("wake").words()).isLessThan(2 * CallBounds.JOBS + FEW);
        assertThat(calls.of("admit").calls()).isGreaterThanOrEqualTo(3);
        assertThat(calls.of("admit").words()).isLessThan(11 * CallBounds.JOBS + FEW);
    }

    /** All of them wait for their time, which the leader finds out in steps of two hundred keys. */
    @LongTest
    @Test
    void ofManyKeysWithARate() {
        int count = 450;
        String past = "1000000";
        String key = "k".repeat(90);
        redis.texts().hset("jobs:limits", "s:slow", "- 1 86400000000 1");
        redis.texts().hset("jobs:limits", "s:other", "- 1 1 1");
        long now = System.currentTimeMillis() * 1_000;
        for (int i = 0; i < count; i++) {
            String job = payload("Three", "j" + i, "[]");
            redis.texts().zadd("jobs:parked:slow", 0, key + (1_000 + i) + "\n0000000000000001\ndefault\n1\n" + job);
            redis.texts().hset("jobs:rate", "slow\n" + key + (1_000 + i), Long.toString(now + 80_000_000_000L));
            redis.texts().hset("jobs:rate", "other\n" + key + i, past);
        }
        redis.texts().zadd("jobs:wake", 0, "");
        bed.start(jobs);
        await("times of the next starts")
                .atMost(PATIENCE)
                .until(() -> redis.texts().zcard("jobs:wake") == count + 1);
        await("times that are over").atMost(PATIENCE).until(() -> redis.texts().hlen("jobs:rate") == count);

        LimitsAdmin limits = admin.limits();
        assertThat(limits.keys("slow", null)).hasSize(200);
        assertThat(limits.keys("slow", key + 1_399)).hasSize(50);
        calls.assertSmall("limits_sweep", "rates_sweep", "limit_read");
        assertThat(calls.of("limits_sweep").calls()).isGreaterThanOrEqualTo(3);
        assertThat(calls.of("rates_sweep").calls()).isGreaterThanOrEqualTo(3);
        assertThat(calls.of("limits_sweep").answer()).isLessThan(1_000);
        assertThat(calls.of("rates_sweep").answer()).isLessThan(1_000);
        assertThat(calls.of("limit_read").answer()).isLessThan(200 * 200);
    }

    /** As after a moment in which their keys held another type. */
    @Test
    void ofPermitsAndEffectsThatAreLost() {
        try (ChoreTestBed process = new ChoreTestBed(bed)) {
            redis.texts().hset("jobs:limits", "s:one", "1");
            for (int i = 0; i < 450; i++) {
                redis.texts().zadd("jobs:permits:one", 0, "key " + i + "\nme\n0:1:" + i + ":default");
            }
            String now = Long.toString(System.currentTimeMillis() / 1_000);
            String result = "{\"state\":\"done\",\"value\":\"" + "x".repeat(bounds().bytes() / 2) + "\"}";
            for (int i = 0; i < 20; i++) {
                redis.texts()
                        .rpush(
                                "jobs:effects:lost",
                                "10:" + now + "6:result4:done0:1:01:113:jobs:result:j0:5:600004:dead" + result.length()
                                        + ":" + result);
            }
            EffectUpkeep upkeep = new EffectUpkeep(
                    new LostEffects(process.connection, process.keys),
                    new LostPermits(process.connection, process.keys),
                    process.context);
            while (upkeep.runOnce().isZero()) {
                // until there is nothing to do at once
            }
        }

        assertThat(redis.texts().exists("jobs:permits:one", "jobs:effects:lost"))
                .isZero();
        assertThat(redis.texts().exists("jobs:result:j")).isEqualTo(1);
        calls.assertSmall("permits_drop", "effects_again");
        assertThat(calls.of("permits_drop").words()).isLessThan(5 * CallBounds.JOBS + FEW);
        assertThat(calls.together()).as("answers at once").isLessThan(bounds().bytes());
    }

    @LongTest
    @Test
    void ofLargeJobsInAnOrderedQueue() {
        bed.capsules(CapsuleConfig.of("default", 15, List.of("imports")));
        bed.policies.add((job, count, failure) -> RetryPolicy.Decision.retryIn(Duration.ofSeconds(1)));
        bed.random(() -> 0); // or some seconds are added to that time
        client.enqueueAll("Import", large("mine", 8));
        client.enqueueAll("Import", large("fails", 4));
        batches.create("all", batch -> IntStream.range(0, 6)
                .forEach(i -> batch.add(JobCall.named("Import", "b", almostACall()))));
        bed.start(jobs);
        await("all").atMost(PATIENCE).until(() -> jobs.ran.get() == 18);
        awaitEmpty("jobs:order:imports");
        bed.awaitDrained("imports");
        bed.stopEngines();

        client.enqueueAll("Import", large("deleted", 8));
        List<ListedJob> some = admin.queues()
                .jobs("imports", Order.OLDEST_FIRST, job -> true, 0, 5, BUDGET)
                .items();
        assertThat(admin.trash().delete("imports", some, "one", done -> {}).restorable())
                .isEqualTo(some.size());
        restore("one", some.size());
        assertThat(admin.trash()
                        .clear("imports", "two", done -> {})
                        .orElseThrow()
                        .restorable())
                .isEqualTo(8);
        restore("two", 8);
        assertThat(admin.queues()
                        .moveAll("imports", "elsewhere", null, Duration.ofSeconds(10))
                        .done())
                .isEqualTo(8);
        assertThat(admin.queues()
                        .moveAll("elsewhere", "imports", null, Duration.ofSeconds(10))
                        .done())
                .isEqualTo(8);
        assertThat(admin.queues().clear("imports")).isEqualTo(8);

        assertThat(bed.books().conservationError()).isZero();
        calls.assertSmall(
                "push_sorted", "batch_fill", "batch_release", "claim", "due", "move", "trash", "restore", "clear");
    }

    private List<List<Object>> large(String tenant, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> List.<Object>of(tenant, almostACall()))
                .toList();
    }

    private void restore(String batch, long count) {
        long done = 0;
        Restored restored;
        do {
            restored = admin.trash().restoreBatch(batch, Duration.ofSeconds(10));
            done += restored.done();
        } while (restored.more());
        assertThat(done).isEqualTo(count);
    }

    @LongTest
    @Test
    void ofManyJobsInAnOrderedQueue() {
        int count = 2_500;
        jobs.interruptions.set(0);
        bed.capsules(CapsuleConfig.of("default", 400, List.of("imports")));
        client.enqueueAll(
                "Import",
                IntStream.range(0, count)
                        .mapToObj(i -> List.<Object>of("t" + i % 7, ""))
                        .toList());
        batches.create(
                "all", batch -> IntStream.range(0, 1_200).forEach(i -> batch.add(JobCall.named("Import", "b", ""))));
        bed.start(jobs);
        await("all").atMost(PATIENCE).until(() -> jobs.ran.get() == count + 1_200);
        awaitEmpty("jobs:order:imports");

        calls.assertSmall("push_sorted", "batch_fill", "batch_release", "claim");
        assertThat(calls.of("push_sorted").words()).isLessThan(2 * CallBounds.JOBS + FEW);
        assertThat(calls.of("batch_fill").calls()).isGreaterThanOrEqualTo(3);
        assertThat(calls.of("batch_release").words()).isLessThan(3 * CallBounds.JOBS + FEW);
        assertThat(calls.of("claim").answer()).as("200 jobs").isLessThan(200 * 400);
    }

    @LongTest
    @Test
    void ofReports() {
        int loud = 25;
        bed.capsules(CapsuleConfig.of("default", 130, List.of("default")));
        for (int i = 0; i < 130; i++) {
            bed.push("default", payload("Reports", "j" + i, "[" + (i < loud ? JobReports.MOST_LINES : 0) + "]"));
        }
        bed.start(jobs);
        await("all run").atMost(PATIENCE).until(() -> jobs.running.get() == 130);
        await("all are noted")
                .atMost(PATIENCE)
                .until(() -> redis.texts().keys("jobs:progress:*").size() == 130);
        await("all lines")
                .atMost(PATIENCE)
                .until(() -> redis.texts().keys("jobs:log:*").size() == loud);
        jobs.gate.countDown();
        bed.awaitDrained("default");

        calls.assertSmall("note", "claim");
        assertThat(calls.of("note").calls()).isGreaterThanOrEqualTo(loud / 5);
        assertThat(calls.of("note").request()).isLessThan(bounds().bytes() + calls.rest());
        // For each a token, two keys, and an effect of five.
        assertThat(calls.of("note").words()).isLessThan(8 * CallBounds.JOBS + FEW);
    }
}
