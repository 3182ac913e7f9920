package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.faults.Fault.Delivery;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * The line carries few bytes a second, and the jobs are large: each step takes long, and none is repeated endlessly.
 */
@FaultTest
class SlowLineIT {

    private static final int MB = 1_000_000;
    private static final String BALLAST = "x".repeat(MB);

    private final Dose dose = Dose.current();

    /** All of the jobs together take longer than the command timeout. */
    @Test
    void largeJobsThatFailedTogetherAreSettled() {
        int jobs = dose.of(16, 40);
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                FaultProxy proxy = new FaultProxy(server.port());
                Trial trial = new Trial("slow-line-retries", server.uri(), Duration.ofSeconds(30))) {
            proxy.limit(6 * MB);
            WorkerSettings settings = WorkerSettings.of(proxy.uri(), "default")
                    .withCapsules("default/" + jobs + "/default")
                    .withCommandTimeout(dose.of(Duration.ofSeconds(2), Duration.ofSeconds(5)));
            trial.start(settings, "-Xmx512m");
            trial.awaitAllRegistered();
            List<String> ids = trial.producer.enqueueAll(
                    "default", "HeavyFailOnceAfter", Collections.nCopies(jobs, List.of("fail", BALLAST)));
            trial.awaitStarts(ids);
            trial.release("fail");
            // Counted, since the first retries fall due before the last jobs are settled.
            await("settlements").until(() -> Integer.toString(jobs).equals(trial.redis.get("stat:failed")));
            assertSettledOnce(trial);
        }
    }

    @Test
    void largeJobsThatAreDueTogetherArePromotedInLittleMemory() {
        int jobs = dose.of(60, 150);
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                FaultProxy proxy = new FaultProxy(server.port());
                Trial trial = new Trial("slow-line-promotion", server.uri(), Duration.ofSeconds(30))) {
            proxy.limit(dose.of(24, 6) * MB);
            trial.producer.enqueueAllIn(
                    Duration.ofSeconds(1), "default", "Heavy", Collections.nCopies(jobs, List.of(BALLAST)));
            WorkerSettings settings = WorkerSettings.of(proxy.uri(), "default")
                    .withCommandTimeout(dose.of(Duration.ofSeconds(2), Duration.ofSeconds(5)));
            trial.start(settings, "-Xmx" + dose.of(64, 256) + "m", "-XX:MaxDirectMemorySize=" + dose.of(32, 256) + "m");
            assertSettledOnce(trial);
        }
    }

    /** A process's reports of its running jobs leave room on the line for everything else. */
    @Test
    void beatsOfAProcessThatRunsLargeJobsStaySmall() {
        int jobs = dose.of(20, 50);
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                FaultProxy proxy = new FaultProxy(server.port());
                Trial trial = new Trial("slow-line-heartbeat", server.uri(), Duration.ofSeconds(30))) {
            proxy.limit(6 * MB);
            WorkerSettings settings = WorkerSettings.of(proxy.uri(), "default")
                    .withCapsules("default/" + jobs + "/default")
                    .withCommandTimeout(dose.of(Duration.ofSeconds(2), Duration.ofSeconds(5)));
            Worker worker = trial.start(settings, "-Xmx512m");
            trial.awaitAllRegistered();
            Shows shows = new Shows();
            proxy.fault(shows);
            List<String> ids = trial.producer.enqueueAll(
                    "default", "HeavyUntil", Collections.nCopies(jobs, List.of("go", BALLAST)));
            trial.awaitStarts(ids);
            String identity = trial.identities(worker).get(0);
            await("all jobs are shown").until(() -> trial.redis.hlen(identity + ":work") == jobs);
            long before = shows.bytes.get();
            int beats = shows.count.get();
            await("beats").until(() -> shows.count.get() >= beats + dose.of(3, 20));
            assertThat(trial.redis.hlen(identity + ":work")).isEqualTo(jobs);
            assertThat(trial.identities(worker)).containsExactly(identity);
            assertThat(shows.largest.get()).as("largest beat").isLessThan(MB);
            assertThat(shows.bytes.get() - before)
                    .as("bytes of %s beats in which nothing changes", shows.count.get() - beats)
                    .isLessThan(5_000L * (shows.count.get() - beats));
            trial.release("go");
            assertSettledOnce(trial);
        }
    }

    /** Measures the reports of processes about themselves. */
    private static final class Shows implements Fault {

        private final AtomicInteger count = new AtomicInteger();
        private final AtomicLong bytes = new AtomicLong();
        private final AtomicInteger largest = new AtomicInteger();

        @Override
        public Delivery command(Command command) {
            if (command.runs("process")) {
                count.incrementAndGet();
                bytes.addAndGet(command.size());
                largest.accumulateAndGet(command.size(), Math::max);
            }
            return Delivery.PASS;
        }
    }

    private static void assertSettledOnce(Trial trial) {
        Verdict verdict = trial.end();
        trial.assertSound(verdict);
        trial.assertCountedOnce();
        trial.assertUnharmed(verdict);
        assertThat(verdict.executed()).isEqualTo(verdict.enqueued());
    }
}
