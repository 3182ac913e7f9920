package dev.jobs.limits;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobFailedException;
import dev.jobs.JobInterruptedException;
import dev.jobs.JobListener;
import dev.jobs.JobListener.Ending;
import dev.jobs.admin.Finding;
import dev.jobs.admin.Page;
import dev.jobs.admin.ScanBudget;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.WorkerProcess;
import dev.jobs.proof.LongTest;
import dev.jobs.testing.RedisFixture;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Limits on how many jobs run at once, through real engines. */
class LimitsIT {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration LATE = Duration.ofMillis(500);
    private static final ScanBudget ENOUGH = new ScanBudget(1_000, Duration.ofSeconds(5));

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private final Shops shops = new Shops();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private final RedisJobClient client = bed.client(shops);
    private final JobsAdmin admin = bed.admin();

    /** Jobs that note how many of a key run at once. */
    static final class Shops {

        final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
        final Map<String, Integer> most = new ConcurrentHashMap<>();
        final Queue<String> ran = new ConcurrentLinkedQueue<>();
        final CountDownLatch release = new CountDownLatch(1);
        final Semaphore steps = new Semaphore(0);
        final Queue<Start> starts = new ConcurrentLinkedQueue<>();

        record Start(String key, long nanos) {}

        private void begin(String key) {
            int now = running.computeIfAbsent(key, each -> new AtomicInteger()).incrementAndGet();
            most.merge(key, now, Math::max);
        }

        private void end(String key) {
            running.get(key).decrementAndGet();
        }

        private void run(String key, String id, Runnable body) {
            begin(key);
            try {
                ran.add(id);
                body.run();
            } finally {
                end(key);
            }
        }

        @Job("sync")
        @Limit(name = "shop", key = "{0}", concurrency = 2)
        void sync(String shop, String id) {
            run(shop, id, Thread::yield);
        }

        @Job("one")
        @Limit(name = "single", key = "{0}", concurrency = 1)
        void one(String shop, String id) {
            run(shop, id, () -> {});
        }

        @Job("slow")
        @Limit(name = "single", key = "{0}", concurrency = 1)
        void slow(String shop, String id) {
            run(shop, id, () -> steps.acquireUninterruptibly());
        }

        @Job("busy")
        void busy() throws InterruptedException {
            ran.add("busy");
            release.await();
        }

        @Job("patient")
        @Limit(name = "single", key = "{0}", concurrency = 1)
        void patient(String shop, String id) throws InterruptedException {
            ran.add(id);
            steps.acquire();
        }

        @Job(value = "alone", concurrency = 1)
        void alone(String key, String id) {
            run("alone", id, Thread::yield);
        }

        @Job("both")
        @Limit(name = "single", key = "{0}", concurrency = 1)
        @Limit(name = "erp", concurrency = 3)
        void both(String shop, String id) {
            run(shop, id, () -> run("erp", id, Thread::yield));
        }

        @Job("call")
        @Limit(name = "api", key = "{0}", rate = 50, per = "1s", burst = 5)
        void call(String key, String id) {
            starts.add(new Start(key, System.nanoTime()));
            ran.add(id);
        }

        @Job("call alone")
        @Limit(name = "api alone", concurrency = 1, rate = 50, per = "1s", burst = 2)
        void callAlone(String id) {
            starts.add(new Start("alone", System.nanoTime()));
            run("call alone", id, Thread::yield);
        }

        @Job("call again")
        @Limit(name = "daily", rate = 1, per = "1d", burst = 2)
        void callAgain(String id) {
            ran.add(id);
            throw new IllegalStateException("is to be retried");
        }

        @Job("call daily")
        @Limit(name = "daily", rate = 1, per = "1d", burst = 2)
        void callDaily(String id) {
            ran.add(id);
        }

        @Job("plain")
        void plain(String id) {
            ran.add(id);
        }

        @Job("of call")
        void ofCall(String key, String id) {
            run(key, id, Thread::yield);
        }

        @Job(value = "ends", retry = 1)
        @Limit(name = "single", key = "{0}", concurrency = 1)
        void ends(String how, JobContext job) throws Exception {
            run("ends", how, () -> {});
            switch (How.valueOf(how)) {
                case DONE -> {}
                case RETRIED, DEAD -> throw new IllegalStateException(how);
                case FAILED -> throw new JobFailedException(how);
                case INTERRUPTED -> throw new JobInterruptedException(how);
                case TIMEOUT -> release.await();
                default -> throw new AssertionError(how);
            }
        }

        @Job(value = "discarded", retry = Job.NONE)
        @Limit(name = "single", key = "DISCARDED", concurrency = 1)
        void discarded() {
            throw new IllegalStateException("always");
        }
    }

    enum How {
        DONE,
        RETRIED,
        DEAD,
        FAILED,
        INTERRUPTED,
        TIMEOUT,
        DISCARDED
    }

    @BeforeEach
    void open() {
        bed.times(Duration.ofMillis(200), LEASE);
    }

    @AfterEach
    void close() {
        shops.release.countDown();
        shops.steps.release(1_000_000);
    }

    private void awaitRan(int count) {
        await().atMost(Duration.ofSeconds(60)).until(() -> shops.ran.size() >= count);
        await().until(() -> redis.texts().keys("jobs:permit*").isEmpty());
    }

    private void assertClean() {
        assertThat(redis.texts().keys("jobs:permit*")).isEmpty();
        assertThat(redis.texts().keys("jobs:parked:*")).isEmpty();
        assertThat(bed.books().conservationError()).isZero();
        assertThat(bed.books().inFlight()).isZero();
    }

    /** The code of the version before: it limits what {@link NextVersion} doesn't. */
    static final class VersionBefore {

        @Job("changed")
        @Limit(name = "single", concurrency = 1)
        void changed() {}
    }

    /** Runs one job at a time. */
    static final class NextVersion {

        final CountDownLatch release = new CountDownLatch(1);
        final Queue<String> ran = new ConcurrentLinkedQueue<>();

        @Job("holds")
        @Limit(name = "single", concurrency = 1)
        void holds() throws InterruptedException {
            release.await();
            ran.add("holds");
        }

        @Job("changed")
        void changed() {
            ran.add("changed");
        }
    }

    /** It was parked by a version whose code limits it, and is handed over to one whose code doesn't. */
    @Test
    void aPermitIsGivenBackThoughTheCodeHasNoLimitAnyMore() {
        NextVersion next = new NextVersion();
        bed.config = EngineConfig.of(1, "default");
        bed.start(next);
        bed.push("default", EngineTestBed.payload("holds", "j1", "[]"));
        await().until(() -> redis.texts().zcard("jobs:permits:single") == 1);
        JobEngine before = bed.start(new VersionBefore());
        bed.push("default", EngineTestBed.payload("changed", "j2", "[]"));
        await().until(() -> redis.texts().zcard("jobs:parked:single") == 1);
        before.stop();

        next.release.countDown();

        await().until(() -> next.ran.size() == 2);
        await().untilAsserted(this::assertClean);
    }

    /** Of several keys, of all jobs of a name, of several limits, of a call. */
    @Test
    void noMoreRunAtOnceThanTheirLimitsAllow() {
        bed.config =
                bed.config.with(values -> values.limits = new LimitConfig(Map.of("of calls", LimitNumbers.atOnce(2))));
        client.enqueueAll("sync", calls(200, i -> "shop " + i % 3));
        client.enqueueAll("alone", calls(40, i -> "alone"));
        client.enqueueAll("both", calls(100, i -> "both " + i % 10));
        client.limit("of calls", "x").enqueueAll("of call", calls(100, i -> "x"));
        bed.start(shops);
        bed.start(shops);

        awaitRan(200 + 40 + 2 * 100 + 100);
        bed.awaitDrained("default");

        assertThat(shops.ran).hasSize(540);
        assertThat(shops.most).hasSize(3 + 1 + 10 + 1 + 1).allSatisfy((key, most) -> assertThat(most)
                .as(key)
                .isLessThanOrEqualTo(
                        switch (key.split(" ")[0]) {
                            case "alone", "both" -> 1;
                            case "erp" -> 3;
                            default -> 2;
                        }));
        await().untilAsserted(() -> assertThat(redis.texts().hgetall("jobs:limits"))
                .containsEntry("d:alone", "1")
                .containsEntry("d:shop", "2"));
        assertClean();
    }

    private static List<List<Object>> calls(int count, IntFunction<String> key) {
        return IntStream.range(0, count)
                .mapToObj(i -> List.<Object>of(key.apply(i), key.apply(i) + "#" + i))
                .toList();
    }

    @Test
    void jobsOfAKeyRunInTheOrderInWhichTheyWereEnqueued() {
        JobEngine engine = bed.start(shops);
        client.enqueue("slow", "a", "first");
        await().until(() -> shops.ran.contains("first"));
        List<String> expected = new ArrayList<>(List.of("first"));
        for (int i = 0; i < 50; i++) {
            redis.bytes()
                    .lpush(
                            "queue:default".getBytes(UTF_8),
                            EngineTestBed.payload(
                                            "one",
                                            "jid" + i,
                                            "[\"a\",\"" + i + "\"]",
                                            "\"enqueued_at\":" + (1_000_000 + i))
                                    .getBytes(UTF_8));
            expected.add(Integer.toString(i));
        }
        await().until(() -> redis.texts().zcard("jobs:parked:single") == 50);
        await("a worker that parks jobs works").until(() -> engine.work().get(0).taken() == 51);
        assertThat(engine.work().get(0).running()).isEqualTo(1);
        shops.steps.release();

        awaitRan(51);

        assertThat(shops.ran).containsExactlyElementsOf(expected);
        assertThat(shops.most).containsEntry("a", 1);
        bed.awaitDrained("default");
        assertClean();
    }

    /** By what the jobs note themselves, which may be a little after they were let start. */
    private void assertRate(String key, int perSecond, int burst) {
        long[] times = shops.starts.stream()
                .filter(start -> start.key().equals(key))
                .mapToLong(Shops.Start::nanos)
                .sorted()
                .toArray();
        for (int first = 0; first < times.length; first++) {
            for (int last = first + burst; last < times.length; last++) {
                long noted = times[last] - times[first];
                assertThat((last - first + 1L - burst) * 1_000_000_000L / perSecond)
                        .as("starts %s to %s of %s in %s ns", first, last, key, noted)
                        .isLessThanOrEqualTo(noted + LATE.toNanos());
            }
        }
    }

    @Test
    void noMoreStartInATimeThanTheRateAllows() {
        List<List<Object>> calls = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            calls.add(List.of("shop " + i % 2, "job " + i));
        }
        bed.start(shops);
        bed.start(shops);
        client.enqueueAll("call", calls);
        client.enqueueAll(
                "call alone",
                IntStream.range(0, 30).mapToObj(i -> List.<Object>of("a" + i)).toList());
        client.enqueue("plain", "p");

        awaitRan(91);
        bed.awaitDrained("default");

        assertThat(shops.ran).hasSize(91).doesNotHaveDuplicates();
        assertRate("shop 0", 50, 5);
        assertRate("shop 1", 50, 5);
        assertRate("alone", 50, 2);
        assertThat(shops.most).containsEntry("call alone", 1);
        assertClean();
    }

    @Test
    void aRetryTakesAStartAndARaisedRateLetsJobsStartAtOnce() {
        bed.start(shops);
        client.enqueue("call again", "first");
        await().until(() -> redis.texts().zcard("retry") == 1);
        redis.texts().zadd("retry", 1, redis.texts().zrange("retry", 0, 0).get(0));
        await().until(() -> shops.ran.size() == 2);
        client.enqueue("call again", "waits");
        await().until(() -> redis.texts().zcard("jobs:parked:daily") == 1);

        LimitedJob waits = limits().waiting("daily", "", 0, 1).items().get(0);
        assertThat(limits().whyWaiting(waits)).extracting(Finding::code).containsExactly("rate", "next");
        assertThat(limits().whyWaiting(waits).get(0).message())
                .contains("The limit daily lets 1 per 24h, burst 2 start, the next one in 86");
        assertThat(limits().keys("daily", null)).singleElement().satisfies(key -> assertThat(key.nextStart())
                .isGreaterThan(Duration.ofHours(23)));
        assertThat(limits().set("daily", LimitRate.of(1, Duration.ofSeconds(1))))
                .isTrue();

        await().until(() -> shops.ran.contains("waits"));
        assertThat(limits().get("daily")).satisfies(limit -> {
            assertThat(limit.rate()).isEqualTo(LimitRate.of(1, Duration.ofSeconds(1)));
            assertThat(limit.concurrency()).isNull();
            assertThat(limit.changed()).isTrue();
        });
        assertThat(limits().reset("daily")).isTrue();
        assertThat(limits().get("daily").rate()).isEqualTo(new LimitRate(1, Duration.ofDays(1), 2));
    }

    /** They were claimed for threads that notify listeners, which take their time. */
    @Test
    void jobsThatGoBackBeforeTheyBeganHaveTheirStartsAgain() {
        AtomicBoolean slow = new AtomicBoolean(true);
        bed.listeners.add(new JobListener() {
            @Override
            public void finished(JobContext job, Ending ending, Duration took, Throwable failure) {
                await().until(() -> !slow.get());
            }
        });
        bed.capsules(CapsuleConfig.of("default", 2, List.of("default")));
        bed.start(shops);
        client.enqueueAll("plain", List.of(List.of("first"), List.of("second")));
        await().until(() -> shops.ran.size() == 2);

        client.enqueueAll("call daily", List.of(List.of("third"), List.of("fourth")));
        // Only one if a thread came late: none is claimed ahead any more once a job went back.
        await().until(() -> bed.books().requeued() > 0);
        slow.set(false);

        awaitRan(4);
        bed.awaitDrained("default");
        assertThat(redis.texts().keys("jobs:parked:*")).isEmpty();
        assertClean();
    }

    /** The leader is gone before it has let the parked jobs go on; another one does so, later. */
    @LongTest
    @Test
    void jobsThatWaitForTheirTimeOutliveTheLeader() throws IOException {
        bed.times(Duration.ofSeconds(1), LEASE);
        bed.config = EngineConfig.of(5, "rated");
        try (WorkerProcess leader = WorkerProcess.start(redis.port(), LEASE)) {
            await().atMost(Duration.ofSeconds(60)).until(() -> redis.texts().get("dear-leader") != null);
            bed.start(shops);
            client.queue("rated")
                    .enqueueAll(
                            "call",
                            IntStream.range(0, 400)
                                    .mapToObj(i -> List.<Object>of("a", "" + i))
                                    .toList());
            await().until(() -> shops.ran.size() > 10);
            leader.kill();
        }
        assertThat(redis.texts().zcard("jobs:parked:api")).isPositive();

        awaitRan(400);
        bed.awaitDrained("rated");

        assertThat(shops.ran).hasSize(400).doesNotHaveDuplicates();
        assertRate("a", 50, 5);
        assertClean();
    }

    /** More of them than one call asks for. */
    @LongTest
    @Test
    void jobsThatCanNotBeAdmittedHoldUpNoOtherLimits() {
        bed.config = EngineConfig.of(200, "default");
        redis.texts().set("jobs:parked:single", "x");
        client.enqueueAll(
                "one",
                IntStream.range(0, 120)
                        .mapToObj(i -> List.<Object>of("a", "" + i))
                        .toList());
        client.enqueue("sync", "b", "other");
        bed.start(shops);

        await().until(() -> shops.ran.contains("other"));
        assertThat(shops.ran).hasSize(1);

        redis.texts().del("jobs:parked:single");
        awaitRan(121);
        bed.awaitDrained("default");
        assertClean();
    }

    /** Each of them has a key of its own. */
    @Test
    void everyEndLetsTheNextJobRun() {
        for (How how : How.values()) {
            JobClient first = how == How.TIMEOUT ? client.timeout(Duration.ofMillis(50)) : client;
            if (how == How.DISCARDED) {
                first.enqueue("discarded");
            } else {
                first.retry(how == How.DEAD ? 0 : 1).enqueue("ends", how.name());
            }
            client.enqueue("one", how.name(), "next " + how);
        }
        bed.start(shops);

        await().until(() -> shops.ran.containsAll(
                Stream.of(How.values()).map(how -> "next " + how).toList()));

        assertThat(bed.ends)
                .extracting(EngineTestBed.Ended::ending)
                .contains(
                        Ending.DONE, Ending.RETRIED, Ending.DEAD, Ending.FAILED, Ending.INTERRUPTED, Ending.DISCARDED);
    }

    @Test
    void aGracefulStopGivesPermitsBack() {
        JobEngine first = bed.start(shops);
        client.enqueue("patient", "a", "first");
        await().until(() -> shops.ran.contains("first"));
        client.enqueue("one", "a", "second");
        await().until(() -> redis.texts().zcard("jobs:parked:single") == 1);

        first.stop();

        assertThat(redis.texts().keys("jobs:permit*")).isEmpty();
        assertThat(redis.texts().llen("queue:default")).isEqualTo(2);
        shops.steps.release(10);
        bed.start(shops);
        await().until(() -> shops.ran.contains("second"));
        bed.awaitDrained("default");
        assertClean();
    }

    @Test
    void aRaisedLimitLetsParkedJobsGoOnAtOnce() {
        bed.start(shops);
        for (int i = 0; i < 5; i++) {
            client.enqueue("slow", "a", "" + i);
        }
        await().until(() -> redis.texts().zcard("jobs:parked:single") == 4);
        assertThat(limits().get("single").longestWait()).isPositive();

        assertThat(limits().set("single", 3)).isTrue();

        await().until(() -> shops.ran.size() == 3);
        assertThat(limits().get("single")).satisfies(limit -> {
            assertThat(limit.concurrency()).isEqualTo(3);
            assertThat(limit.changed()).isTrue();
            assertThat(limit.held()).isEqualTo(3);
            assertThat(limit.waiting()).isEqualTo(2);
        });
        LimitedJob next = limits().waiting("single", "a", 0, 10).items().get(0);
        assertThat(limits().whyWaiting(next)).extracting(Finding::code).containsExactly("limited", "next");
        assertThat(limits().whyWaiting(next).get(0).message())
                .contains("single of a")
                .contains(String.valueOf(
                        limits().holders("single", "a").get(0).job().jid()));
        String jid = String.valueOf(next.job().jid());
        assertThat(limits().findById(jid, ENOUGH).items()).hasSize(1);
        assertThat(limits().findById(jid, ENOUGH).partial()).isFalse();
        assertThat(limits().findById(jid, new ScanBudget(1, Duration.ZERO))).satisfies(found -> {
            assertThat(found.partial()).as("other limits were not looked at").isTrue();
        });
        assertThat(limits().delete(next)).isTrue();
        assertThat(limits().delete(next)).isFalse();
        assertThat(limits().forget("single")).isFalse();

        shops.steps.release(10);
        awaitRan(4);
        bed.awaitDrained("default");
        assertThat(limits().reset("single")).isTrue();
        assertThat(limits().get("single").concurrency()).isEqualTo(1);
        assertClean();
    }

    @LongTest
    @Test
    void aDeletedJobThatWasToGoOnKeepsNoOtherWaiting() {
        bed.start(shops);
        client.enqueue("slow", "a", "first");
        await().until(() -> shops.ran.contains("first"));
        client.queue("unserved").enqueue("one", "a", "lost");
        String stored = redis.texts().lrange("queue:unserved", 0, -1).get(0);
        redis.texts().del("queue:unserved");
        redis.texts().zadd("jobs:parked:single", 0, "a\n0000000000000001\nunserved\n1\n" + stored);
        client.enqueue("one", "a", "next");
        await().until(() -> redis.texts().zcard("jobs:parked:single") == 2);

        shops.steps.release();

        await().atMost(Duration.ofSeconds(30)).until(() -> shops.ran.contains("next"));
    }

    /**
     * One exchange ends a job, lets the next one go on, and claims that with its permit. No thread is idle, since it would
     * ask for jobs while one runs: as many calls again where the machine is slow.
     */
    @Test
    void jobsOfOneKeyFollowEachOtherWithOneCallEach() {
        bed.config = EngineConfig.of(2, "default");
        bed.start(shops);
        client.enqueue("slow", "a", "first");
        await().until(() -> shops.ran.contains("first"));
        client.enqueueAll(
                "one",
                IntStream.range(0, 300)
                        .mapToObj(i -> List.<Object>of("a", "" + i))
                        .toList());
        await().until(() -> redis.texts().zcard("jobs:parked:single") == 300);
        client.enqueue("busy");
        await().until(() -> shops.ran.contains("busy"));
        long before = scripts();
        long begin = System.nanoTime();

        shops.steps.release();
        await().until(() -> shops.ran.size() == 302);

        // the others are those of its duties, which come while the time passes
        long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds();
        assertThat(scripts() - before).isLessThan(300 + Math.min(100 + 20 * seconds, 250));
    }

    @Test
    void aPageOfParkedJobsBeginsAtTheLastOneIfTheListHasBecomeShorter() {
        for (int i = 0; i < 5; i++) {
            redis.texts()
                    .zadd("jobs:parked:single", 0, "a\n000000000000000" + i + "\nmail\n1\n{\"jid\":\"j" + i + "\"}");
        }

        Page<LimitedJob> page = limits().waiting("single", "a", 8, 2);

        assertThat(page.from()).isEqualTo(4);
        assertThat(page.items()).extracting(each -> each.job().jid()).containsExactly("j4");
        assertThat(page.next()).isEqualTo(-1);
        assertThatThrownBy(() -> limits().waiting("single", "a", -1, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'from' must be at least 0 but was -1");
        assertThatThrownBy(() -> limits().waiting("single", "a", 0, 201))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'size' must be 1 to 200 but was 201");
    }

    private static long scripts() {
        return redis.texts()
                .info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_evalsha:calls="))
                .mapToLong(line -> Long.parseLong(line.replaceFirst(".*?calls=(\\d+).*", "$1")))
                .sum();
    }

    private LimitsAdmin limits() {
        return admin.limits();
    }
}
