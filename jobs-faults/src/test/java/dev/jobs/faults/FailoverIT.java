package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Another server becomes the primary, and all clients follow it. */
@FaultTest
class FailoverIT {

    private static final int WORKERS = 2;
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

    private final Dose dose = Dose.current();

    @Test
    void workGoesOnAtTheNewPrimaryWhileTheOldOneIsAReplica() {
        failOver("failover-swap", redis -> {
            redis.swap();
            await("no worker at the old primary").untilAsserted(() -> assertThat(redis.connectionsToReplica())
                    .noneMatch(line -> line.matches(".* name=jobs-(work|chores|beat|doorbell|standing) .*")));
        });
    }

    @Test
    void workGoesOnAtTheNewPrimaryWhenTheOldOneWasKilled() {
        failOver("failover-kill", ReplicatedRedis::killPrimary);
    }

    private void failOver(String scenario, Consumer<ReplicatedRedis> fault) {
        try (ReplicatedRedis redis = new ReplicatedRedis();
                Trial trial = new Trial(scenario, redis.uri());
                Producer hasty = new Producer(redis.uri(), COMMAND_TIMEOUT);
                ReplicatedPushes careful = new ReplicatedPushes("", redis::uri)) {
            List<Worker> workers = trial.startAll(WORKERS, WorkerSettings.of(redis.uri(), "default"));
            trial.takeBaseline();
            new FailoverLoad(trial, hasty, careful).during(dose.of(1, 5), goingOn -> fault.accept(redis));
            assertThat(trial.alive()).as("workers that were not restarted").isEqualTo(workers);
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            trial.assertRecovered(verdict.recovered(), 0);
        }
    }
}
