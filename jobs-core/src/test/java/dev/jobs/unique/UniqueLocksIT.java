package dev.jobs.unique;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobFailedException;
import dev.jobs.admin.Found;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.RunResult;
import dev.jobs.admin.ScanBudget;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.engine.WorkerProcess;
import dev.jobs.proof.LongTest;
import dev.jobs.testing.RedisFixture;
import dev.jobs.unique.Unique.Until;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What happens to the lock of a unique job when its job ends or moves, through real engines and administration. */
class UniqueLocksIT {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final long DAY = Duration.ofDays(1).toMillis();
    private static final ScanBudget ENOUGH = new ScanBudget(1_000, Duration.ofSeconds(5));
    private static final String KEY = "5";

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private final Shops shops = new Shops();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private final RedisJobClient client = bed.client(shops);
    private final JobsAdmin admin = bed.admin();

    /** Jobs with one key each, which note whether their lock was held when their methods were called. */
    static final class Shops {

        final Map<String, Integer> failuresLeft = new ConcurrentHashMap<>();
        final Queue<String> ran = new ConcurrentLinkedQueue<>();
        final CountDownLatch release = new CountDownLatch(1);

        private void run(String name, JobContext job) {
            boolean held = job.jid().equals(holder(name));
            ran.add(name + (held ? " with lock" : " without lock"));
        }

        @Job(value = "sync", retry = 3)
        @Unique(key = KEY)
        void sync(String what, JobContext job) {
            run("sync", job);
            if (failuresLeft.merge("sync", -1, Integer::sum) >= 0) {
                throw new IllegalStateException(what);
            }
        }

        @Job(value = "last", retry = 0)
        @Unique(key = KEY)
        void last(JobContext job) {
            run("last", job);
            throw new IllegalStateException("always");
        }

        @Job(value = "discarded", retry = Job.NONE)
        @Unique(key = KEY)
        void discarded(JobContext job) {
            run("discarded", job);
            throw new IllegalStateException("always");
        }

        @Job("business")
        @Unique(key = KEY)
        void business(JobContext job) {
            run("business", job);
            throw new JobFailedException("no stock");
        }

        @Job(value = "expired", expiresIn = "1s")
        @Unique(key = KEY)
        void expired(JobContext job) {
            run("expired", job);
        }

        @Job(value = "start", retry = 2)
        @Unique(key = KEY, until = Until.START)
        void start(JobContext job) {
            run("start", job);
            if (failuresLeft.merge("start", -1, Integer::sum) >= 0) {
                throw new IllegalStateException("once");
            }
        }

        @Job("throttled")
        @Unique(key = KEY, until = Until.EXPIRY, forAtMost = "1h")
        void throttled(JobContext job) {
            run("throttled", job);
        }

        @Job("Hold")
        void hold(String id, JobContext job) throws InterruptedException {
            ran.add("hold");
            release.await();
        }
    }

    static final class Ignoring {

        final Queue<String> ran = new ConcurrentLinkedQueue<>();

        @Job("sync")
        void sync(String what) {
            ran.add("sync");
        }

        @Job("start")
        void start() {
            ran.add("start");
        }
    }

    @BeforeEach
    void open() {
        bed.times(Duration.ofMillis(200), LEASE);
    }

    @AfterEach
    void close() {
        shops.release.countDown();
    }

    private static String lock(String name) {
        return "unique:" + UniqueRule.digest(name, KEY);
    }

    private static String holder(String name) {
        return redis.texts().get(lock(name));
    }

    private static long left(String name) {
        return redis.texts().pttl(lock(name));
    }

    private String enqueue(String name) {
        return Objects.requireNonNull(name.equals("sync") ? client.enqueue(name, "x") : client.enqueue(name));
    }

    private void runAll() {
        bed.start(shops);
        bed.awaitDrained("default");
        bed.stopEngines();
    }

    private byte[] only(String set) {
        List<byte[]> members = redis.bytes().zrange(set.getBytes(UTF_8), 0, -1);
        assertThat(members).hasSize(1);
        return members.get(0);
    }

    @Test
    void everyEndReleasesItUnlessItIsToOutliveTheJob() {
        List<String> ends = List.of("sync", "last", "discarded", "business");
        ends.forEach(this::enqueue);
        String throttled = enqueue("throttled");
        client.with("expiry", 1).enqueue("expired");

        runAll();

        assertThat(shops.ran)
                .containsExactlyInAnyOrder(
                        "sync with lock",
                        "last with lock",
                        "discarded with lock",
                        "business with lock",
                        "throttled with lock");
        assertThat(redis.texts().keys("unique:*")).containsExactly(lock("throttled"));
        assertThat(holder("throttled")).isEqualTo(throttled);
        assertThat(left("throttled")).isBetween(3_000_000L, 3_600_000L);
        assertThat(client.enqueue("throttled")).isNull();
        assertThat(ends).allSatisfy(name -> assertThat(enqueue(name)).isNotNull());
        assertThat(enqueue("expired")).isNotNull();
    }

    @Test
    void aRetryKeepsItAndArmsItAnewUntilTheJobIsDone() {
        String jid = enqueue("sync");
        redis.texts().pexpire(lock("sync"), 100_000);
        shops.failuresLeft.put("sync", 1);

        runAll();

        assertThat(redis.texts().zcard("retry")).isEqualTo(1);
        assertThat(holder("sync")).isEqualTo(jid);
        assertThat(left("sync")).isGreaterThan(30 * DAY);
        assertThat(client.enqueue("sync", "y")).isNull();

        redis.texts()
                .eval(
                        "redis.call('ZADD', 'retry', 1, redis.call('ZRANGE', 'retry', 0, 0)[1])",
                        io.lettuce.core.ScriptOutputType.VALUE);
        bed.start(shops);
        await().until(() -> shops.ran.size() == 2);
        bed.awaitDrained("default");

        assertThat(shops.ran).containsExactly("sync with lock", "sync with lock");
        assertThat(redis.texts().keys("unique:*")).isEmpty();
    }

    @Test
    void aScheduledJobKeepsItWhenItIsPromoted() {
        String jid = client.in(Duration.ofDays(3)).enqueue("sync", "x");
        assertThat(left("sync")).isGreaterThan(3 * DAY);

        assertThat(admin.sets().runNow(JobSet.SCHEDULED, only("schedule"))).isEqualTo(RunResult.ENQUEUED);

        assertThat(holder("sync")).isEqualTo(jid);
        assertThat(left("sync")).isBetween(DAY - 60_000, DAY);
        runAll();
        assertThat(redis.texts().keys("unique:*")).isEmpty();
    }

    @Test
    void whatPeopleDoWithJobsReleasesItAndTakesItAgain() {
        client.in(Duration.ofHours(1)).enqueue("sync", "x");
        assertThat(admin.sets().kill(JobSet.SCHEDULED, only("schedule"))).isTrue();
        assertThat(redis.texts().keys("unique:*")).isEmpty();
        assertThat(admin.sets().runNow(JobSet.DEAD, only("dead"))).isEqualTo(RunResult.ENQUEUED);
        assertThat(left("sync")).isBetween(DAY - 60_000, DAY);
        assertThat(admin.queues().clear("default")).isEqualTo(1);
        assertThat(redis.texts().keys("unique:*")).isEmpty();

        client.in(Duration.ofHours(1)).enqueue("sync", "x");
        assertThat(admin.sets().delete(JobSet.SCHEDULED, only("schedule"))).isTrue();
        assertThat(redis.texts().keys("unique:*")).isEmpty();

        String jid = enqueue("sync");
        List<ListedJob> jobs = admin.queues().findById("default", jid, ENOUGH).items();
        admin.trash().delete("default", jobs, "one", deleted -> {});
        assertThat(redis.texts().keys("unique:*")).isEmpty();
        admin.trash().restoreBatch("one", Duration.ofSeconds(5));
        assertThat(holder("sync")).isEqualTo(jid);
        assertThat(left("sync")).isBetween(DAY - 60_000, DAY);
        byte[] stored = redis.bytes().lindex("queue:default".getBytes(UTF_8), 0);
        assertThat(admin.queues().delete("default", stored)).isTrue();
        assertThat(redis.texts().keys("unique:*")).isEmpty();
    }

    @LongTest
    @Test
    void theDeathOfAWorkerKeepsItUntilTheJobHasRunElsewhere() throws Exception {
        String jid = client.unique(KEY).enqueue("Hold", "1");
        try (WorkerProcess worker = WorkerProcess.start(redis.port(), LEASE)) {
            await().atMost(Duration.ofMinutes(2)).until(() -> redis.texts().llen("started") == 1);
            worker.kill();
        }
        redis.texts().pexpire(lock("Hold"), 100_000);
        assertThat(client.unique(KEY).enqueue("Hold", "2")).isNull();

        bed.start(shops);
        await().atMost(Duration.ofSeconds(30)).until(() -> shops.ran.contains("hold"));
        assertThat(holder("Hold")).isEqualTo(jid);
        assertThat(left("Hold")).isGreaterThan(DAY / 2);

        shops.release.countDown();
        bed.awaitDrained("default");
        assertThat(bed.books().recovered()).isEqualTo(1);
        assertThat(redis.texts().keys("unique:*")).isEmpty();
    }

    @Test
    void aJobThatAStoppingWorkerHandsBackKeepsIt() {
        String jid = client.unique(KEY).enqueue("Hold", "1");
        bed.start(shops);
        await().until(() -> shops.ran.contains("hold"));
        redis.texts().pexpire(lock("Hold"), 100_000);

        bed.stopEngines();

        assertThat(redis.texts().llen("queue:default")).isEqualTo(1);
        assertThat(holder("Hold")).isEqualTo(jid);
        assertThat(left("Hold")).isGreaterThan(DAY / 2);
    }

    @Test
    void untilStartItEndsBeforeTheMethodIsCalledAlsoIfThatThrows() {
        enqueue("start");
        shops.failuresLeft.put("start", 1);

        runAll();

        assertThat(shops.ran).containsExactly("start without lock");
        assertThat(redis.texts().zcard("retry")).isEqualTo(1);
        assertThat(redis.texts().keys("unique:*")).as("the retry holds none").isEmpty();
        assertThat(enqueue("start")).isNotNull();
        assertThat(client.enqueue("start")).isNull();
    }

    @Test
    void aLockOfAnotherTypeKeepsNoJob() {
        for (String name : List.of("sync", "start")) {
            enqueue(name);
            redis.texts().del(lock(name));
            redis.texts().rpush(lock(name), "x");
        }
        Ignoring ignoring = new Ignoring();
        bed.start(ignoring);
        bed.awaitDrained("default");

        assertThat(ignoring.ran).containsExactlyInAnyOrder("sync", "start");
        assertThat(redis.texts().type(lock("sync"))).isEqualTo("list");
        assertThat(redis.texts().type(lock("start"))).isEqualTo("list");
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    void peopleSeeAndReleaseLocks() {
        String jid = enqueue("sync");
        enqueue("throttled");

        Found<HeldLock> all = admin.locks().all(ENOUGH);
        assertThat(all.partial()).isFalse();
        assertThat(all.items()).hasSize(2);
        HeldLock lock = admin.locks().find("sync", KEY).orElseThrow();
        assertThat(lock.holder()).isEqualTo(jid);
        assertThat(lock.left()).isBetween(Duration.ofHours(23), Duration.ofHours(24));
        assertThat(all.items()).anyMatch(each -> each.digest().equals(lock.digest()));

        assertThat(admin.locks().unlock(lock)).isTrue();
        assertThat(admin.locks().unlock(lock)).isFalse();
        assertThat(admin.locks().unlock("throttled", KEY)).isTrue();
        assertThat(admin.locks().unlock("throttled", KEY)).isFalse();
        assertThat(admin.locks().all(ENOUGH).items()).isEmpty();
        assertThat(Set.of(enqueue("sync"))).doesNotContain(jid);
    }
}
