package dev.jobs.limits;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.Order;
import dev.jobs.admin.ScanBudget;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.client.ClientConfig;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.WorkerProcess;
import dev.jobs.proof.LongTest;
import dev.jobs.testing.RedisFixture;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits of whole queues, through real engines. */
class QueueLimitsIT {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Pattern CALLS = Pattern.compile("cmdstat_(evalsha|blmove):calls=(\\d+),.*");
    private static final String PERMITS = "jobs:permits:queue:mail";

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private final Jobs jobs = new Jobs();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private final JobsAdmin admin = bed.admin();

    /** Jobs that note how many of them run at once. */
    static final class Jobs {

        final AtomicInteger running = new AtomicInteger();
        final AtomicInteger most = new AtomicInteger();
        final AtomicInteger mostPermits = new AtomicInteger();
        final Set<String> ran = ConcurrentHashMap.newKeySet();
        final Semaphore steps = new Semaphore(0);

        private void begin() {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
        }

        @Job("quick")
        void quick(String id) {
            begin();
            Thread.yield();
            running.decrementAndGet();
            ran.add(id);
        }

        @Job("held")
        void held(String id) {
            begin();
            steps.acquireUninterruptibly();
            running.decrementAndGet();
            ran.add(id);
        }

        @Job("Hold")
        void hold(String id) {
            quick(id);
        }

        @Job("interruptible")
        void interruptible(String id) throws InterruptedException {
            begin();
            try {
                steps.acquire();
                ran.add(id);
            } finally {
                running.decrementAndGet();
            }
        }

        @Job("counts")
        void counts(String id) {
            mostPermits.accumulateAndGet(redis.texts().zcard(PERMITS).intValue(), Math::max);
            ran.add(id);
        }
    }

    @BeforeEach
    void open() {
        bed.times(Duration.ofMillis(200), LEASE);
        bed.capsules(CapsuleConfig.of("default", 10, List.of("mail", "low")));
        limit(3);
    }

    @AfterEach
    void close() {
        jobs.steps.release(1_000_000);
    }

    private void limit(int most) {
        bed.config = bed.config.with(values -> values.limits = new LimitConfig(Map.of(), Map.of("mail", most)));
    }

    private void push(String queue, String name, int count) {
        byte[][] all = IntStream.range(0, count)
                .mapToObj(i -> payload(name, queue + name + i, "[\"" + queue + name + i + "\"]")
                        .getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        redis.bytes().lpush(("queue:" + queue).getBytes(StandardCharsets.UTF_8), all);
    }

    private void awaitRan(int count) {
        await().atMost(Duration.ofSeconds(60)).until(() -> jobs.ran.size() == count);
    }

    private void awaitRunning(int count) {
        await().atMost(Duration.ofSeconds(20)).until(() -> jobs.running.get() == count);
    }

    private void assertClean() {
        await().until(() -> redis.texts().keys("jobs:permit*").isEmpty());
        assertThat(bed.books().conservationError()).isZero();
        assertThat(bed.books().inFlight()).isZero();
    }

    @Test
    void noMoreRunAtOnceThanTheLimitAllowsOverAllWorkers() {
        push("mail", "quick", 400);
        bed.start(jobs);
        bed.start(jobs);

        awaitRan(400);

        assertThat(jobs.most.get()).isLessThanOrEqualTo(3);
        bed.awaitDrained("mail");
        assertClean();
        assertThat(redis.texts().hget("jobs:limits", "d:queue:mail")).isEqualTo("3");
    }

    /** A claim that stands at another queue must not bring as many again. */
    @Test
    void aWorkerHasNoMorePermitsThanThreads() {
        limit(100);
        bed.start(jobs);
        await().until(() -> redis.texts().clientList().contains("cmd=blmove"));

        push("mail", "held", 60);
        awaitRunning(10);
        push("low", "quick", 1);

        long most = 0;
        for (int looks = 0; looks < 200; looks++) {
            most = Math.max(most, redis.texts().zcard(PERMITS));
        }
        assertThat(most).isLessThanOrEqualTo(10);
    }

    @Test
    void otherQueuesAreServedWhileOneIsFull() {
        push("mail", "held", 100);
        List<JobEngine> engines = List.of(bed.start(jobs), bed.start(jobs));
        awaitRunning(3);

        push("low", "quick", 50);
        awaitRan(50);
        await().until(() -> engines.stream().allMatch(each -> each.isShut("mail")));
        assertThat(engines).noneMatch(each -> each.isShut("low"));

        assertThat(jobs.running).hasValue(3);
        assertThat(redis.texts().llen("queue:mail")).isEqualTo(97);
        assertThat(redis.texts().zcard(PERMITS)).isEqualTo(3);
        ListedJob next = admin.queues()
                .jobs("mail", Order.OLDEST_FIRST, job -> true, 0, 1, ScanBudget.standard())
                .items()
                .get(0);
        assertThat(admin.whyWaiting(next))
                .filteredOn(why -> why.code().equals("queue-limited"))
                .singleElement()
                .satisfies(why -> assertThat(why.message())
                        .isEqualTo("The limit of queue mail lets 3 jobs run at once, and 3 run"));
        jobs.steps.release(97);
        awaitRan(50 + 97);
        awaitRunning(3);
        jobs.steps.release(3);
        bed.awaitDrained("mail", "low");
        assertClean();
    }

    /** The other process knows of the limit before it claims its first job, though its configuration has none. */
    @LongTest
    @Test
    void theLimitHoldsForAKilledWorkerAndItsPermitsComeBack() throws Exception {
        admin.limits().set("queue:default", 2);
        for (int i = 0; i < 6; i++) {
            bed.push("default", payload("Hold", "j" + i, "[\"" + i + "\"]"));
        }
        try (WorkerProcess worker = WorkerProcess.start(redis.port(), LEASE)) {
            await().atMost(Duration.ofMinutes(2)).until(() -> redis.texts().llen("started") == 2);
            assertThat(redis.texts().zcard("jobs:permits:queue:default")).isEqualTo(2);
            bed.capsules(CapsuleConfig.of("default", 10, List.of("default")));
            JobEngine engine = bed.start(jobs);
            await().until(() -> engine.health().alive());
            assertThat(jobs.ran).isEmpty();
            worker.kill();
        }

        awaitRan(6);

        assertThat(redis.texts().lrange("started", 0, -1))
                .as("in the other one")
                .hasSize(2);
        assertThat(jobs.most.get()).isLessThanOrEqualTo(2);
        bed.awaitDrained("default");
        assertClean();
    }

    @Test
    void aWorkerThatStopsGivesItsPermitsBack() {
        push("mail", "interruptible", 5);
        JobEngine first = bed.start(jobs);
        awaitRunning(3);

        first.stop();

        assertThat(redis.texts().keys("jobs:permit*")).isEmpty();
        jobs.steps.release(5);
        bed.start(jobs);
        awaitRan(5);
        bed.awaitDrained("mail");
        assertClean();
    }

    /** The worker whose job ends takes no more, so another one has to learn that there is room. */
    @Test
    void anotherWorkerLearnsThatThereIsRoom() {
        limit(1);
        push("mail", "held", 1);
        JobEngine first = bed.start(jobs);
        awaitRunning(1);
        JobEngine second = bed.start(jobs);
        await().until(() -> second.health().alive());
        push("mail", "quick", 1);
        first.quiet();
        assertThat(jobs.ran).isEmpty();

        jobs.steps.release();

        awaitRan(2);
        bed.awaitDrained("mail");
        assertClean();
    }

    @Test
    void aLimitMayBeChangedWhileWorkersRun() {
        push("mail", "held", 30);
        bed.start(jobs);
        awaitRunning(3);

        assertThat(admin.limits().set("queue:mail", 5)).isTrue();
        awaitRunning(5);
        admin.limits().set("queue:mail", 2);
        jobs.steps.release(3);
        awaitRan(3);
        assertThat(jobs.running).hasValue(2);
        jobs.steps.release(1);
        awaitRan(4);
        awaitRunning(2);

        LimitInfo info = admin.limits().get("queue:mail");
        assertThat(info.concurrency()).isEqualTo(2);
        assertThat(info.changed()).isTrue();
        assertThat(info.held()).isEqualTo(2);
        assertThat(admin.limits().holders("queue:mail", ""))
                .hasSize(2)
                .extracting(LimitInfo.Holder::queue)
                .containsOnly("mail");
        admin.limits().reset("queue:mail");
        awaitRunning(3);
        jobs.steps.release(26);
        awaitRan(30);
        bed.awaitDrained("mail");
        assertClean();
    }

    @Test
    void aQueueThatHadNoLimitMayGetOne() {
        bed.config = bed.config.with(values -> values.limits = LimitConfig.defaults());
        JobEngine engine = bed.start(jobs);
        await().until(() -> engine.health().alive());

        admin.limits().set("queue:mail", 1);
        await().until(() -> {
            push("mail", "quick", 1);
            bed.awaitDrained("mail");
            return redis.texts().exists("jobs:bell:mail") == 1
                    && engine.health().alive()
                    && heedsTheLimit();
        });
        push("mail", "held", 5);
        awaitRunning(1);
        admin.limits().reset("queue:mail");
        awaitRunning(5);
        jobs.steps.release(5);
        bed.awaitDrained("mail");
        assertClean();
    }

    /** Whether two jobs at once don't run at once any more. */
    private boolean heedsTheLimit() {
        jobs.most.set(0);
        push("mail", "held", 2);
        awaitRunningAtLeastOne();
        boolean heeded = redis.texts().zcard(PERMITS) == 1;
        jobs.steps.release(2);
        bed.awaitDrained("mail");
        return heeded;
    }

    private void awaitRunningAtLeastOne() {
        await().until(() -> jobs.running.get() >= 1);
    }

    /** Jobs that are read ahead have permits without running, so there must be no more of them than threads. */
    @LongTest
    @Test
    void noMorePermitsAreHeldThanJobsCanRun() {
        limit(1_000);
        bed.capsules(CapsuleConfig.of("default", 4, List.of("mail")));
        push("mail", "counts", 500);
        bed.start(jobs);

        awaitRan(500);

        assertThat(jobs.mostPermits.get()).isLessThanOrEqualTo(4);
        bed.awaitDrained("mail");
        assertClean();
    }

    private static long calls() {
        return redis.texts()
                .info("commandstats")
                .lines()
                .map(CALLS::matcher)
                .filter(java.util.regex.Matcher::matches)
                .mapToLong(stat -> Long.parseLong(stat.group(2)))
                .sum();
    }

    /** Calls a second while nothing happens for some seconds. */
    private double callsAtRest() {
        Duration time = Duration.ofSeconds(3);
        int before = jobs.running.get();
        await().during(Duration.ofSeconds(2)).until(() -> jobs.running.get() == before);
        redis.texts().configResetstat();
        long begin = System.nanoTime();
        await().during(time).until(() -> jobs.running.get() == before);
        return calls() / secondsSince(begin);
    }

    private static double secondsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e9;
    }

    /** A process that asks in vain does so hundreds of times a second. */
    @Test
    void aFullQueueIsNotAskedInVain() {
        bed.capsules(CapsuleConfig.of("default", 10, List.of("mail")));
        push("mail", "held", 1_000);
        bed.start(jobs);
        bed.start(jobs);
        awaitRunning(3);
        redis.texts().configResetstat();
        long begin = System.nanoTime();

        await().pollDelay(Duration.ofMillis(700)).until(() -> jobs.running.get() == 3);

        // fewer than a hundred in 700 ms; a busy machine takes longer than these, but not for the calls of idle workers
        assertThat(calls() / Math.max(0.7, secondsSince(begin))).isLessThan(100 / 0.7);
        redis.texts().del("queue:mail");
    }

    @LongTest
    @ParameterizedTest
    @ValueSource(strings = {"mail", "mail low", "low mail"})
    void aFullQueueCostsNoMoreCallsThanAnEmptyOne(String queues) {
        bed.capsules(CapsuleConfig.of("default", 10, List.of(queues.split(" "))));
        bed.start(jobs);
        JobEngine second = bed.start(jobs);
        await().until(() -> second.health().doorbell());
        double idle = callsAtRest();
        if (queues.equals("mail")) {
            assertThat(redis.texts().info("commandstats") + redis.texts().clientList())
                    .as("no claim stands at it, or has stood")
                    .contains("cmdstat_evalsha", "cmd=evalsha")
                    .doesNotContain("cmdstat_blmove", "cmd=blmove");
        }
        for (int i = 0; i < 100; i++) {
            push("mail", "held", 1_000);
        }
        awaitRunning(3);

        double full = callsAtRest();

        assertThat(redis.texts().llen("queue:mail")).isEqualTo(99_997);
        // A process that asks in vain does so hundreds of times a second.
        assertThat(full).isLessThan(idle + 20);
        redis.texts().del("queue:mail");
    }

    @LongTest
    @Test
    void pushesToAFullQueueWakeNobody() {
        // Idle, these two make fewer than forty calls a second.
        assertThat(callsWhilePushed(3_000, () -> 40)).isLessThan(30);
    }

    @LongTest
    @Test
    void manyPushesToAFullQueueWakeNobody() {
        assertThat(callsWhilePushed(5_000, this::callsAtRest)).isLessThan(100);
    }

    /** The number of calls while so many jobs are pushed, without those of the time that this takes. */
    private long callsWhilePushed(int pushes, DoubleSupplier callsPerSecond) {
        push("mail", "held", 10);
        bed.start(jobs);
        JobEngine second = bed.start(jobs);
        await().until(() -> second.health().doorbell());
        awaitRunning(3);
        double quiet = callsPerSecond.getAsDouble();
        redis.texts().configResetstat();
        long begin = System.nanoTime();

        for (int i = 0; i < pushes; i++) {
            push("mail", "held", 1);
        }

        push("low", "quick", 1);
        awaitRan(1);
        long calls = calls();
        redis.texts().del("queue:mail");
        return calls - (long) (quiet * secondsSince(begin));
    }

    @Test
    void wrongLimitsAreToldClearly() {
        assertThatThrownBy(() -> new LimitConfig(Map.of(), Map.of("mail", 0)))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("'mail' has 0");
        assertThatThrownBy(() -> new LimitConfig(Map.of(), Map.of("ma il", 1)))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("'ma il'");
        assertThatThrownBy(() -> new LimitConfig(Map.of("queue:mail", LimitNumbers.atOnce(1))))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("queue:");
        assertThatThrownBy(() -> admin.limits().set("queue:", 1))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("queue of 1 to 128");
        assertThatThrownBy(() -> admin.limits().set("queue:mail", 0))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("1 to 1000000");
        assertThatThrownBy(() -> JobRegistry.of(new Misnamed()))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("'queue:mail'");
        assertThatThrownBy(() -> JobRegistry.of(new NamedLikeAQueue()))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("its concurrency would be a limit with the name of the job");
        try (RedisJobClient client = new RedisJobClient(
                bed.connections(),
                JobRegistry.of(jobs),
                JobHooks.none(),
                ClientConfig.defaults(),
                Clock.systemUTC(),
                new java.security.SecureRandom())) {
            assertThatThrownBy(() -> client.limit("queue:mail", "x"))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("not begin with 'queue:'");
        }
    }

    static final class Misnamed {

        @Job("misnamed")
        @Limit(name = "queue:mail", concurrency = 1)
        void run() {}
    }

    static final class NamedLikeAQueue {

        @Job(value = "queue:mail", concurrency = 1)
        void run() {}
    }
}
