package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.faults.WorkerSettings.Program;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** An application whose own code repeatedly throws errors on its worker's threads: no thread and no job is lost. */
@FaultTest
class ThrowingHooksIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Dose dose = Dose.current();

    @Test
    void errorsOfListenersHandlersAndPoliciesCostNothing() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("throwing-hooks", server.uri())) {
            trial.startAll(
                    2, WorkerSettings.of(server.uri(), Load.QUEUES).withProgram(Program.ENGINE_WITH_THROWING_HOOKS));
            trial.takeBaseline();
            Load load = new Load(trial, 7, 10);
            int jobs = dose.of(1_500, 40_000);
            while (trial.producer.count() < jobs) {
                load.fill(200);
            }
            trial.awaitDone(PATIENCE);
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            trial.assertCountedOnce();
            assertThat(verdict.executed()).isEqualTo(verdict.enqueued());
            trial.assertUnharmed(verdict);
        }
    }
}
