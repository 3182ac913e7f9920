package dev.jobs.limits;

import static dev.jobs.assembly.EngineTestBed.payload;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobListener;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.ThreadPools;
import dev.jobs.proof.LongTest;
import dev.jobs.testing.RedisFixture;
import dev.jobs.testing.RedisProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Engines on several shards, each with keys of its own, that share one pool of threads. */
class SharedThreadsIT {

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    private final List<EngineTestBed> beds = new ArrayList<>();
    private final ThreadPools pools = new ThreadPools();
    private final Work work = new Work();

    static final class Work {

        final Map<String, Integer> runs = new ConcurrentHashMap<>();
        final Queue<String> starts = new ConcurrentLinkedQueue<>();
        final AtomicInteger atOnce = new AtomicInteger();
        final AtomicInteger most = new AtomicInteger();
        final Semaphore ends = new Semaphore(0);
        final CountDownLatch unstuck = new CountDownLatch(1);

        /** Ends when the test lets it. */
        @Job("Step")
        public void step(String shard, int number) throws InterruptedException {
            begin(shard, number);
            try {
                ends.acquire();
            } finally {
                atOnce.decrementAndGet();
            }
        }

        /** Ignores its interruption. */
        @Job("Stuck")
        public void stuck(String shard, int number) {
            begin(shard, number);
            boolean over = false;
            while (!over) {
                try {
                    unstuck.await();
                    over = true;
                } catch (InterruptedException e) {
                    // goes on
                }
            }
            atOnce.decrementAndGet();
        }

        /** Fails when the test lets it end. */
        @Job("Dies")
        public void dies(String shard, int number) throws InterruptedException {
            step(shard, number);
            throw new IllegalStateException("enough");
        }

        @Job("Limited")
        @Limit(name = "press", concurrency = 4)
        public void limited(String shard, int number) {
            begin(shard, number);
            atOnce.decrementAndGet();
        }

        @Job("Quick")
        public void quick(String shard, int number) {
            begin(shard, number);
            atOnce.decrementAndGet();
        }

        private void begin(String shard, int number) {
            most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            runs.merge(shard + number, 1, Integer::sum);
            starts.add(shard);
        }

        long starts(String shard) {
            return starts.stream().filter(shard::equals).count();
        }
    }

    @AfterEach
    void stop() {
        work.ends.release(100_000);
        work.unstuck.countDown();
        beds.forEach(EngineTestBed::close);
    }

    private EngineTestBed shard(String name, int concurrency) {
        return shard(name, concurrency, redis.port());
    }

    private EngineTestBed shard(String name, int concurrency, int port) {
        EngineTestBed bed = new EngineTestBed(redis, redis.connections(name + ":", port));
        bed.pools = pools;
        bed.capsules(CapsuleConfig.of("default", concurrency, List.of("default")));
        beds.add(bed);
        return bed;
    }

    private static void push(String shard, String job, int from, int count) {
        byte[][] jobs = new byte[count][];
        for (int i = 0; i < count; i++) {
            String arguments = "[\"" + shard + "\"," + (from + i) + "]";
            jobs[i] = payload(job, shard + (from + i), arguments, "\"retry\":0").getBytes(UTF_8);
        }
        redis.bytes().lpush((shard + ":queue:default").getBytes(UTF_8), jobs);
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(2));
    }

    /** Lets jobs end one by one, each once all threads are taken. */
    private void endOneByOne(int jobs, int concurrency, Duration each) {
        for (int i = 0; i < jobs; i++) {
            soon().pollDelay(each).until(() -> work.atOnce.get() == concurrency);
            work.ends.release();
            int ended = i + 1;
            soon().until(() -> work.starts.size() == ended + concurrency);
        }
    }

    private void assertThatEachRanOnce(int jobs) {
        soon().until(() -> work.runs.size() == jobs);
        assertThat(work.runs.values()).allSatisfy(runs -> assertThat(runs).isOne());
        for (EngineTestBed bed : beds) {
            soon().until(() -> bed.books().inFlight() == 0);
            assertThat(bed.books().conservationError()).isZero();
        }
    }

    @Test
    void noMoreJobsRunAtOnceThanOneEngineMay() {
        for (String name : List.of("a", "b", "c")) {
            push(name, "Quick", 0, 3_000);
            push(name, "Step", 3_000, 20);
            shard(name, 4).start(work);
        }
        work.ends.release(60);

        assertThatEachRanOnce(9_060);
        assertThat(work.most).hasValueLessThanOrEqualTo(4);
    }

    @Test
    @LongTest
    void shardsWithABacklogTakeTurns() {
        push("a", "Step", 0, 200);
        shard("a", 4).start(work);
        soon().until(() -> work.starts("a") == 4);
        push("b", "Step", 0, 200);
        shard("b", 4).start(work);

        endOneByOne(60, 4, Duration.ofMillis(60));

        assertThat(work.starts("b")).isBetween(24L, 34L);
        assertThat(beds.stream().mapToLong(bed -> bed.books().requeued()).sum())
                .as("jobs that were claimed for threads of the other shard, but a few before it is known to be hungry")
                .isLessThanOrEqualTo(4);
        assertThat(work.most).hasValue(4);
    }

    @LongTest
    @Test
    void shardsWithManyQuickJobsProgressTogether() {
        push("a", "Quick", 0, 10_000);
        push("b", "Quick", 0, 10_000);
        shard("a", 4).start(work);
        shard("b", 4).start(work);
        assertThatEachRanOnce(20_000);

        List<String> order = new ArrayList<>(work.starts);
        Collections.reverse(order);
        String last = order.get(0);
        long alone = order.stream().takeWhile(last::equals).count();
        assertThat(alone).isLessThan(5_000);
    }

    @Test
    void aShardThatWasIdleDoesNotWaitForTheBacklogOfAnother() {
        push("a", "Step", 0, 2_000);
        shard("a", 4).start(work);
        shard("b", 4).start(work);
        soon().until(() -> work.starts("a") == 4);

        push("b", "Step", 0, 1);
        while (work.starts("b") == 0) {
            int now = work.starts.size();
            work.ends.release();
            soon().until(() -> work.starts.size() > now);
        }

        assertThat(work.starts("a")).isLessThan(1_000);
        assertThat(work.most).hasValue(4);
    }

    @LongTest
    @Test
    void moreShardsThanThreadsTakeTurnsAsWell() {
        List<JobEngine> engines = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            push("s" + i, "Step", 0, 50);
            engines.add(shard("s" + i, 2).start(work));
        }
        soon().until(() -> engines.stream().allMatch(engine -> engine.health().alive()));

        endOneByOne(80, 2, Duration.ZERO);

        for (int i = 0; i < 8; i++) {
            assertThat(work.starts("s" + i)).isBetween(5L, 16L);
        }
        assertThat(work.most).hasValue(2);
    }

    @Test
    void anEngineThatStopsLeavesItsPlacesToTheOthers() {
        push("a", "Step", 0, 4);
        EngineTestBed a = shard("a", 4);
        a.times(Duration.ZERO, Duration.ofSeconds(20));
        a.start(work);
        shard("b", 4).start(work);
        soon().until(() -> work.starts("a") == 4);

        a.stopEngines();
        push("b", "Step", 0, 4);

        soon().until(() -> work.starts("b") == 4);
        assertThat(redis.texts().llen("a:queue:default")).isEqualTo(4);
        assertThat(work.most).hasValue(4);
        assertThat(a.books().conservationError()).isZero();
    }

    /** Counted in looks at the clock: a fetcher takes some at each step. */
    @Test
    void aQuietEngineSleeps() {
        AtomicLong looks = new AtomicLong();
        for (String name : List.of("a", "b")) {
            EngineTestBed bed = shard(name, 4);
            EngineEnvironment system = bed.environment;
            bed.environment = new EngineEnvironment(
                    system.clock(),
                    () -> {
                        looks.incrementAndGet();
                        return system.nanoTime().getAsLong();
                    },
                    system.random(),
                    system.processorThreads(),
                    system.outOfMemory());
            JobEngine engine = bed.start(work);
            soon().until(() -> engine.health().alive());
            engine.quiet();
        }
        long before = looks.get();
        await().pollDelay(Duration.ofSeconds(1)).until(() -> true);

        assertThat(looks.get() - before).isLessThan(20_000);
    }

    @Test
    @LongTest
    void aThreadThatDoesNotLeaveAJobIsMissingToTheOthers() {
        push("a", "Stuck", 0, 1);
        EngineTestBed a = shard("a", 2);
        a.times(Duration.ZERO, Duration.ofSeconds(20));
        a.start(work);
        shard("b", 2).start(work);
        soon().until(() -> work.starts("a") == 1);
        a.stopEngines();

        push("b", "Step", 0, 10);
        soon().until(() -> work.starts("b") == 1);
        soon().until(() -> beds.get(1).books().inFlight() == 1);
        assertThat(redis.texts().llen("b:queue:default")).isEqualTo(9);

        work.unstuck.countDown();
        soon().until(() -> work.starts("b") == 2);
    }

    @Test
    void anEngineThatStartsAgainHasThreads() {
        EngineTestBed a = shard("a", 2);
        JobEngine engine = a.start(work);
        engine.stop();
        engine.start();
        push("a", "Quick", 0, 100);
        assertThatEachRanOnce(100);
    }

    @Test
    @LongTest
    void eachShardInTurnTakesAllPlacesOfAllWorkers() {
        for (ThreadPools worker : List.of(new ThreadPools(), new ThreadPools())) {
            for (String name : List.of("a", "b", "c")) {
                EngineTestBed bed = shard(name, 10);
                bed.pools = worker;
                bed.start(work);
            }
        }
        for (int round = 0; round < 10; round++) {
            for (String name : List.of("a", "b", "c")) {
                push(name, "Step", 20 * round, 20);
                soon().until(() -> work.atOnce.get() == 20);
                work.ends.release(20);
                soon().until(() -> work.atOnce.get() == 0);
            }
        }
        assertThatEachRanOnce(600);
    }

    /** Their death handlers are called once the shard has answered. */
    @LongTest
    @Test
    void jobsThatDiedOnAShardThatIsAwayOccupyNoThreads() {
        try (RedisProxy proxy = new RedisProxy(redis.port())) {
            EngineTestBed a = shard("a", 4, proxy.port());
            push("a", "Dies", 0, 4);
            a.start(work);
            soon().until(() -> work.starts("a") == 4);
            shard("b", 4).start(work);

            proxy.refuse();
            work.ends.release(4);
            a.awaitEnds(4);
            push("b", "Step", 0, 8);

            soon().until(() -> work.starts("b") == 4);
            work.ends.release(4);
            soon().until(() -> work.starts("b") == 8);
            assertThat(a.deaths).as("not before they are stored").isEmpty();

            proxy.admit();
            soon().until(() -> a.deaths.size() == 4); // though the jobs of the other shard go on
            assertThat(redis.texts().zcard("a:dead")).isEqualTo(4);
            assertThat(work.atOnce).hasValue(4);
            work.ends.release(4);
            assertThatEachRanOnce(12);
        }
    }

    @LongTest
    @Test
    void aStopWaitsForDeathHandlersThatHadToWaitForTheirShard() {
        try (RedisProxy proxy = new RedisProxy(redis.port())) {
            EngineTestBed a = shard("a", 2, proxy.port());
            a.times(Duration.ofMillis(1), Duration.ofSeconds(20));
            push("a", "Dies", 0, 2);
            a.start(work);
            soon().until(() -> work.starts("a") == 2);
            shard("b", 2).start(work);
            proxy.refuse();
            work.ends.release(2);
            a.awaitEnds(2);
            push("b", "Step", 0, 2);
            soon().until(() -> work.starts("b") == 2);

            proxy.admit();
            a.stopEngines();

            assertThat(a.deaths).hasSize(2);
            work.ends.release(2);
            assertThatEachRanOnce(4);
        }
    }

    @LongTest
    @Test
    void jobsBehindListenersOfAnotherShardGoBackOnce() {
        AtomicBoolean slow = new AtomicBoolean(true);
        AtomicInteger notified = new AtomicInteger();
        EngineTestBed a = shard("a", 4);
        a.listeners.add(new JobListener() {
            @Override
            public void finished(JobContext job, Ending ending, Duration took, Throwable failure) {
                notified.incrementAndGet();
                soon().until(() -> !slow.get());
            }
        });
        push("a", "Quick", 0, 4);
        a.start(work);
        soon().until(() -> notified.get() == 4);
        EngineTestBed b = shard("b", 4);
        b.start(work);
        push("b", "Step", 0, 8);

        soon().until(() -> b.books().requeued() > 0);
        await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
        assertThat(b.books().requeued())
                .as("4, and what it took ahead because 4 had just ended")
                .isLessThanOrEqualTo(8);

        slow.set(false);
        soon().until(() -> work.starts("b") == 4);
        work.ends.release(8);
        assertThatEachRanOnce(12);
    }

    /** Its keys of limits hold another type, so the jobs keep asking. */
    @Test
    void anEngineThatStopsWhileJobsAskForPermitsLeavesTheirThreads() {
        redis.texts().set("a:jobs:permits:press", "a text");
        push("a", "Limited", 0, 4);
        EngineTestBed a = shard("a", 4);
        a.times(Duration.ZERO, Duration.ofSeconds(20));
        a.start(work);
        shard("b", 4).start(work);
        soon().until(() -> a.books().inFlight() == 4);

        a.stopEngines();
        push("b", "Step", 0, 4);

        soon().until(() -> work.starts("b") == 4);
        assertThat(redis.texts().llen("a:queue:default")).isEqualTo(4);
        assertThat(a.books().conservationError()).isZero();
    }

    @Test
    void capsulesOfOneNameNeedTheSameConcurrency() {
        shard("a", 2).start(work);
        EngineTestBed b = shard("b", 3);
        assertThatThrownBy(() -> b.start(work))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("capsule 'default' the concurrencies 2 and 3");
    }
}
