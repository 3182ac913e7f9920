package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Workers and the process that fills batches are killed at random. */
@FaultTest
class BatchStormIT {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @Test
    void everyBatchEndsOnceAndKnowsItsJobsWhenProcessesAreKilled() {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("batches", server.uri());
                BatchStorm storm = new BatchStorm(trial, WorkerSettings.of(server.uri(), Load.QUEUES))) {
            storm.run();
            BatchRecords records = new BatchRecords(trial);
            await().untilAsserted(() -> {
                trial.awaitDone(PATIENCE);
                assertThat(records.unfinished()).isEqualTo(List.of());
            });
            records.compare();
            records.assertNoKeyStays();
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            assertThat(verdict.recovered()).as("the kills hit running jobs").isPositive();
            trial.assertSettledOnce(records.skipped());
        }
    }
}
