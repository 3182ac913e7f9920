package dev.jobs.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.MeasuredCalls;
import dev.jobs.ordered.OrderRule;
import dev.jobs.ordered.OrderRules;
import dev.jobs.proof.LongTest;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.JobClaims;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What many jobs cost that a limit keeps from running, and what they do to others. Calls are counted. */
class BlockedJobsIT {

    private static final int BLOCKED = Integer.getInteger("jobs.limits.blocked", 5_000);
    private static final int OTHERS = 10;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    private final Tenants tenants = new Tenants();
    private MeasuredCalls calls;
    private EngineTestBed bed;
    private RedisJobClient client;

    /** One job of a tenant runs at once. */
    final class Tenants {

        final CountDownLatch holds = new CountDownLatch(1);
        final CountDownLatch gate = new CountDownLatch(1);
        final AtomicInteger others = new AtomicInteger();
        volatile long claims;

        @Job("hold")
        @Limit(name = "tenant", key = "{0}", concurrency = 1)
        void hold(String tenant) throws InterruptedException {
            holds.countDown();
            gate.await();
        }

        @Job(value = "blocked", key = "{0}")
        @Limit(name = "tenant", key = "{0}", concurrency = 1)
        void blocked(String tenant) {}

        @Job(value = "other", key = "b")
        void other() {
            if (others.incrementAndGet() == OTHERS) {
                claims = calls.of("claim").calls();
            }
        }
    }

    @BeforeEach
    void open() {
        redis.flush();
        calls = new MeasuredCalls(redis);
        RedisConnections connections =
                calls.connections(new RedisKeys("", new OrderRules(Map.of("fair", OrderRule.fair()))));
        bed = new EngineTestBed(redis, connections);
        client = bed.client(tenants);
    }

    @AfterEach
    void close() {
        tenants.gate.countDown();
        bed.close();
        calls.close();
    }

    /** The worker runs a job of tenant a that doesn't end. */
    private void start(String queue) throws InterruptedException {
        bed.capsules(CapsuleConfig.of("default", 10, List.of("first", queue)));
        client.queue("first").enqueue("hold", "a");
        bed.start(tenants);
        tenants.holds.await();
    }

    private void enqueueBlocked(String queue) {
        for (int from = 0; from < BLOCKED; from += 1_000) {
            int count = Math.min(1_000, BLOCKED - from);
            client.queue(queue)
                    .enqueueAll(
                            "blocked",
                            IntStream.range(0, count)
                                    .mapToObj(i -> List.<Object>of("a"))
                                    .toList());
        }
    }

    private void enqueueOthers(String queue) {
        IntStream.range(0, OTHERS).forEach(i -> client.queue(queue).enqueue("other"));
    }

    private static long parked() {
        return redis.texts().zcard("jobs:parked:tenant");
    }

    @LongTest
    @Test
    void anIdleWorkerCallsNoMoreOftenBesideThem() throws InterruptedException {
        start("plain");
        long idle = scriptsIn(Duration.ofSeconds(4));
        enqueueBlocked("plain");
        await().atMost(PATIENCE).until(() -> parked() == BLOCKED);
        await().pollDelay(Duration.ofSeconds(2)).until(() -> true); // until the claims are as far apart as when idle

        assertThat(scriptsIn(Duration.ofSeconds(4))).isLessThanOrEqualTo(idle + 10);
    }

    @LongTest
    @Test
    void othersThatComeLaterAreTakenAtOnce() throws InterruptedException {
        start("plain");
        enqueueBlocked("plain");
        await().atMost(PATIENCE).until(() -> parked() == BLOCKED);

        long before = calls.of("claim").calls();
        enqueueOthers("plain");
        await().until(() -> tenants.others.get() == OTHERS);
        assertThat(tenants.claims - before)
                .as("claims for those of another tenant")
                .isBetween(1L, 3L * OTHERS);
        assertThat(parked()).isEqualTo(BLOCKED);
    }

    /** Each of the first ones is taken and parked once, many with a call. */
    @LongTest
    @Test
    void othersStartBehindThemAllInAQueueThatIsAList() throws InterruptedException {
        long claims = claimsForThoseBehind("plain");

        System.out.println(claims + " claims for " + OTHERS + " jobs behind " + BLOCKED);
        assertThat(claims).isBetween((long) BLOCKED / JobClaims.BATCH, 2L * BLOCKED / JobClaims.BATCH + 100);
        assertThat(calls.of("admit").calls()).isBetween(1L, 2L * BLOCKED / CallBounds.JOBS + 100);
        assertThat(bed.books().moved()).as("parked once").isEqualTo(BLOCKED);
    }

    /** They take turns with the first ones, so hardly any of these is taken before. */
    @LongTest
    @Test
    void othersStartBeforeThemInAFairQueue() throws InterruptedException {
        long claims = claimsForThoseBehind("fair");

        System.out.println(claims + " claims for " + OTHERS + " jobs by turns with " + BLOCKED);
        assertThat(claims).isBetween(1L, 3L * OTHERS);
    }

    private long claimsForThoseBehind(String queue) throws InterruptedException {
        start(queue);
        redis.texts().sadd("paused", queue);
        enqueueBlocked(queue);
        enqueueOthers(queue);
        long before = calls.of("claim").calls();
        redis.texts().srem("paused", queue);
        await().atMost(PATIENCE).until(() -> tenants.others.get() == OTHERS);
        await().atMost(PATIENCE).until(() -> parked() == BLOCKED);
        return tenants.claims - before;
    }

    private static long scriptsIn(Duration time) throws InterruptedException {
        long before = redis.calls("evalsha");
        assertThat(new CountDownLatch(1).await(time.toMillis(), TimeUnit.MILLISECONDS))
                .isFalse();
        return redis.calls("evalsha") - before;
    }
}
