package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Redis is not up yet when workers start and jobs are enqueued. */
@Isolated("it looks at the heap that all trials share")
@FaultTest
class NoRedisIT {

    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(200);

    /** The time by which a call may exceed the command timeout on a busy machine: it must not hang. */
    private static final Duration MARGIN = Duration.ofSeconds(10);

    private static final int ENQUEUERS = 100;
    private static final long MOST_GROWTH = 8L << 20;

    private final Dose dose = Dose.current();

    @Test
    void workersAndCallersStartedBeforeRedisRecoverUnaided() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("no-redis", server.uri());
                Producer hasty = new Producer(server.uri(), COMMAND_TIMEOUT)) {
            server.stop();
            WorkerSettings settings = WorkerSettings.of(server.uri(), "default");
            List<Worker> workers = List.of(trial.start(settings), trial.start(settings));
            enqueueInVain(trial, hasty, dose.of(1_000, 50_000));
            for (Worker worker : workers) {
                await("an outage in its log")
                        .until(() -> worker.said().stream().anyMatch(line -> line.contains("no new ones start")));
            }
            server.startAgain();
            Instant back = Instant.now();
            trial.awaitAllRegistered();
            trial.note("alive_ms", Duration.between(back, Instant.now()).toMillis());
            // On a busy machine a call may still take longer than such a caller waits.
            await("an accepted job")
                    .ignoreException(JobStoreException.class)
                    .until(() -> hasty.enqueue("default", "Work", 10), Objects::nonNull);
            hasty.accepted().forEach(trial.producer::accepted);
            trial.note("resume_ms", trial.awaitStartAfter(back).toMillis());
            assertThat(trial.alive()).isEqualTo(workers);
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            trial.assertUnharmed(verdict);
        }
    }

    private void enqueueInVain(Trial trial, Producer hasty, int calls) {
        long before = usedHeap();
        List<ContinuousEnqueuer> enqueuers = Stream.generate(
                        () -> new ContinuousEnqueuer(() -> hasty.enqueue("default", "Work", 10)))
                .limit(ENQUEUERS)
                .toList();
        await("failed calls").until(() -> failures(enqueuers) >= calls);
        enqueuers.forEach(ContinuousEnqueuer::end);
        enqueuers.forEach(ContinuousEnqueuer::close);
        Duration slowest = enqueuers.stream()
                .map(ContinuousEnqueuer::slowest)
                .max(Comparator.naturalOrder())
                .orElseThrow();
        trial.note("enqueue_failures", failures(enqueuers));
        trial.note("slowest_enqueue_ms", slowest.toMillis());
        assertThat(enqueuers).allSatisfy(enqueuer -> {
            assertThat(enqueuer.accepted()).isZero();
            assertThat(enqueuer.failures()).containsOnlyKeys(Kind.UNREACHABLE);
        });
        assertThat(slowest).isLessThan(COMMAND_TIMEOUT.plus(MARGIN).plus(trial.machine.longestOwnStall()));
        if (dose == Dose.LONG) { // fewer calls leave too little to measure beside other tests that run at the same time
            trial.note("heap_growth_kib", (usedHeap() - before) / 1_024);
            await("a heap that keeps nothing of what was refused")
                    .untilAsserted(() -> assertThat(usedHeap() - before).isLessThan(MOST_GROWTH));
        }
    }

    private static int failures(List<ContinuousEnqueuer> enqueuers) {
        return enqueuers.stream().mapToInt(ContinuousEnqueuer::failed).sum();
    }

    private static long usedHeap() {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        memory.gc();
        return memory.getHeapMemoryUsage().getUsed();
    }
}
