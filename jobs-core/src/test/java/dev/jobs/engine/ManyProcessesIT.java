package dev.jobs.engine;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.assembly.EngineHealth;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.JobEngine;
import dev.jobs.proof.LongTest;
import dev.jobs.testing.RedisFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many engines at one queue: what a job costs doesn't grow with them, and each of them still takes its jobs. */
class ManyProcessesIT {

    private static final int ENGINES = 12;
    private static final int JOBS = 200;

    /** The maximum number per second of polls by processes without notifications and of renewals of standing claims. */
    private static final int BY_THE_TIME = 60;

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    private final Jobs jobs = new Jobs();

    @BeforeEach
    void empty() {
        bed.capsules(CapsuleConfig.of("default", 1, List.of("default")));
    }

    @AfterEach
    void close() {
        jobs.gate.countDown();
    }

    static final class Jobs {
        final Map<String, Integer> runs = new ConcurrentHashMap<>();
        final CountDownLatch gate = new CountDownLatch(1);

        @Job("Once")
        void once(String id) {
            runs.merge(id, 1, Integer::sum);
        }

        @Job("Gated")
        void gated(String id) throws InterruptedException {
            once(id);
            gate.await();
        }
    }

    private List<JobEngine> start(int count) {
        List<JobEngine> engines = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            engines.add(bed.start(jobs));
        }
        await().atMost(Duration.ofMinutes(1)).until(() -> engines.stream().allMatch(engine -> {
            EngineHealth health = engine.health();
            return health.alive() && health.doorbell() && health.processes() == count;
        }));
        return engines;
    }

    private void runOneByOne(int count) {
        long before = bed.processed();
        for (int i = 1; i <= count; i++) {
            String id = "j" + (before + i);
            bed.push("default", payload("Once", id, "[\"" + id + "\"]"));
            long expected = before + i;
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> bed.processed() == expected);
        }
        assertThat(jobs.runs.values()).allSatisfy(runs -> assertThat(runs).isOne());
    }

    @Test
    @LongTest
    void aJobCostsNoMoreWithManyIdleProcessesThanWithFew() {
        start(ENGINES);
        runOneByOne(20);
        redis.texts().configResetstat();
        long begin = System.nanoTime();

        runOneByOne(JOBS);

        double seconds = (System.nanoTime() - begin) / 1e9;
        double byTheTime = BY_THE_TIME * (1 + seconds);
        long looks = redis.calls("exists"); // each claim that wants jobs makes one, for paused queues
        System.out.printf(
                "%d processes: %.1f looks and %.1f waits for each job within %.1f s, %d prefixes, %d who track%n",
                ENGINES,
                (double) looks / JOBS,
                (double) redis.calls("blmove") / JOBS,
                seconds,
                redis.stat("stats", "tracking_total_prefixes:(\\d+)"),
                redis.stat("clients", "tracking_clients:(\\d+)"));
        assertThat(looks).isBetween((long) JOBS, (long) (4 * JOBS + byTheTime));
        assertThat(redis.calls("blmove")).isBetween(1L, (long) (2 * JOBS + byTheTime));
        bed.stopEngines();
        assertThat(bed.books().conservationError()).isZero();
    }

    /** For each changed key, Redis goes through all tracked prefixes. */
    @Test
    @LongTest
    void noChangeOfAKeyCostsMoreTheMoreProcessesThereAre() {
        start(ENGINES);
        await().untilAsserted(() -> {
            assertThat(redis.stat("stats", "tracking_total_prefixes:(\\d+)")).isBetween(1L, 6L);
            assertThat(redis.stat("clients", "tracking_clients:(\\d+)")).isBetween(1L, 3L);
            assertThat(redis.stat("clients", "blocked_clients:(\\d+)")).isEqualTo(2);
        });
    }

    @Test
    @LongTest
    void allProcessesTakeJobsWhileThoseOnCallAreFull() {
        List<JobEngine> engines = start(ENGINES);
        for (int i = 0; i < ENGINES; i++) {
            bed.push("default", payload("Gated", "g" + i, "[\"g" + i + "\"]"));
        }
        await().until(() -> jobs.runs.size() == ENGINES);
        assertThat(engines)
                .allSatisfy(engine -> assertThat(engine.health().busy()).isLessThanOrEqualTo(1));
        jobs.gate.countDown();
        bed.awaitDrained("default");
        runOneByOne(20);
    }

    @Test
    @LongTest
    void whenProcessesOnCallStopOthersAreOnCall() {
        List<JobEngine> engines = start(4);
        for (JobEngine engine : engines.subList(0, 3)) {
            engine.stop();
            runOneByOne(5);
        }
        await().until(() -> redis.stat("clients", "blocked_clients:(\\d+)") == 1);
    }
}
