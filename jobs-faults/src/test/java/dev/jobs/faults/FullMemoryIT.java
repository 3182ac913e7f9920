package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobStoreException.Kind;
import dev.jobs.Payload;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Redis is at its memory limit: new jobs are refused, and all others proceed. */
@FaultTest
class FullMemoryIT {

    private static final int WORKERS = 2;

    private final Dose dose = Dose.current();
    private final int backlog = dose.of(1_500, 40_000);
    private final Duration full = dose.of(WorkerSettings.LONGER_THAN_A_LEASE, Duration.ofSeconds(60));

    @Test
    void aFullRedisTakesNoNewJobsAndLetsAllOthersThrough() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"), "--maxmemory-policy", "noeviction");
                Trial trial = new Trial("full-memory", server.uri())) {
            WorkerSettings settings = WorkerSettings.of(server.uri(), Load.QUEUES);
            List<Worker> workers = trial.startAll(WORKERS, settings);
            trial.takeBaseline();
            new Load(trial, 11, 50).enqueue(backlog);
            // So little that it stays full whatever is removed.
            trial.redis.configSet("maxmemory", "1");
            ContinuousEnqueuer enqueuer = new ContinuousEnqueuer(() -> trial.producer.enqueue("default", "Work", 10));
            try (enqueuer) {
                long waited = trial.queued();
                Worker victim = workers.get(0);
                await("a kill").until(victim::killInTheMiddleOfAJob);
                trial.replace(victim);
                Trial.letPass(full);
                await("the backlog drains while Redis is full").until(() -> trial.queued() == 0);
                await("nothing is left of the dead").until(() -> trial.books().inFlight() == 0);
                awaitFailuresKept(trial);
                assertThat(enqueuer.accepted())
                        .as("new jobs while Redis was full")
                        .isZero();
                assertThat(enqueuer.failures()).containsOnlyKeys(Kind.FULL);
                trial.note("drained", waited);
                trial.note("refused", enqueuer.failed());
                trial.redis.configSet("maxmemory", "0");
                await("new jobs").until(() -> enqueuer.accepted() > 0);
            }
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            assertThat(verdict.recovered()).as("from the one that was killed").isPositive();
            assertThat(verdict.duplicates()).isLessThanOrEqualTo((int) verdict.recovered());
        }
    }

    /** Each failed job waits for its retry, or has begun it. */
    private static void awaitFailuresKept(Trial trial) {
        Set<String> failed = jids(trial, execution -> execution.ended() != null && !execution.finished());
        assertThat(failed).isNotEmpty();
        await("every failed job is retried").untilAsserted(() -> {
            Set<String> kept = trial.redis.zrange("retry", 0, -1).stream()
                    .map(payload -> Payload.parse(payload.getBytes(StandardCharsets.UTF_8))
                            .jid())
                    .collect(Collectors.toSet());
            kept.addAll(jids(trial, execution -> execution.attempt() > 1));
            assertThat(kept).containsAll(failed);
        });
    }

    private static Set<String> jids(Trial trial, Predicate<Execution> which) {
        return trial.executions().stream().filter(which).map(Execution::jid).collect(Collectors.toSet());
    }
}
