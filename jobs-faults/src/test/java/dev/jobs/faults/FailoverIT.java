package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Another server becomes the primary, and all clients follow it. */
class FailoverIT {

    private static final int WORKERS = 2;
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Dose dose = Dose.current();

    @Test
    void workGoesOnAtTheNewPrimaryWhileTheOldOneIsAReplica() {
        failOver("failover-swap", redis -> {
            redis.swap();
            await("no worker at the old primary").atMost(PATIENCE).untilAsserted(() -> assertThat(
                            redis.connectionsToReplica())
                    .noneMatch(line -> line.matches(".* name=jobs-(work|chores|beat|doorbell) .*")));
        });
    }

    @Test
    void workGoesOnAtTheNewPrimaryWhenTheOldOneWasKilled() {
        failOver("failover-kill", ReplicatedRedis::killPrimary);
    }

    private void failOver(String scenario, Consumer<ReplicatedRedis> fault) {
        try (ReplicatedRedis redis = new ReplicatedRedis();
                Trial trial = new Trial(scenario, redis.uri(), COMMAND_TIMEOUT);
                Producer hasty = new Producer(redis.uri(), COMMAND_TIMEOUT);
                ReplicatedPushes careful = new ReplicatedPushes(redis.uri())) {
            List<Worker> workers = trial.startAll(WORKERS, WorkerSettings.of(redis.uri(), "default"));
            trial.takeBaseline();
            List<Long> resumed = new ArrayList<>();
            ContinuousEnqueuer safe =
                    new ContinuousEnqueuer(() -> trial.producer.accepted(careful.push("default", "Work", 20)));
            ContinuousEnqueuer unsafe = new ContinuousEnqueuer(() -> hasty.enqueue("default", "Work", 20));
            try (safe;
                    unsafe) {
                for (int round = 0; round < dose.of(1, 5); round++) {
                    trial.awaitStarts(trial.executions().size() + 100);
                    Instant begun = Instant.now();
                    fault.accept(redis);
                    awaitMore(safe);
                    awaitMore(unsafe);
                    resumed.add(Duration.between(begun, Instant.now()).toMillis());
                }
            }
            trial.note("failover_ms", resumed);
            assertThat(trial.alive()).as("workers that were not restarted").isEqualTo(workers);
            trial.awaitDone(PATIENCE);
            // The old primary confirmed these jobs, and the new one never received them.
            trial.note("lost_unreplicated", unfinished(trial, hasty.accepted()));
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            assertThat(verdict.recovered()).as("false recoveries").isZero();
        }
    }

    private static void awaitMore(ContinuousEnqueuer enqueuer) {
        int before = enqueuer.accepted();
        await("accepted jobs").atMost(PATIENCE).until(() -> enqueuer.accepted() > before + 20);
    }

    private static int unfinished(Trial trial, Set<String> accepted) {
        Set<String> unfinished = new HashSet<>(accepted);
        trial.executions().stream()
                .filter(Execution::finished)
                .map(Execution::jid)
                .forEach(unfinished::remove);
        return unfinished.size();
    }
}
