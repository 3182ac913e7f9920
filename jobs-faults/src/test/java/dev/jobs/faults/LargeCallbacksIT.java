package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobCall;
import dev.jobs.batches.BatchStatus.State;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** There are many batches with large callbacks, more than fit into the memory of a worker, and each leader looks at all. */
@FaultTest
class LargeCallbacksIT {

    private static final int SIZE = 300_000;

    private final Dose dose = Dose.current();

    @Test
    void aLeaderNeedsLittleMemory() {
        int batches = dose.of(250, 1_000);
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("large-callbacks", server.uri())) {
            JobCall callback = JobCall.named("Heavy", "x".repeat(SIZE));
            List<String> ids = IntStream.range(0, batches)
                    .mapToObj(i -> trial.producer.batches().create("large", batch -> batch.add(
                                    JobCall.named("Work", 0).queue("low"))
                            .onFinish(callback)
                            .onDeath(callback)))
                    .toList();
            String[] jvm = {"-Xmx" + dose.of(48, 256) + "m", "-XX:MaxDirectMemorySize=" + dose.of(32, 256) + "m"};
            WorkerSettings settings = WorkerSettings.of(server.uri(), "default");
            List<Worker> workers = List.of(trial.start(settings, jvm), trial.start(settings, jvm));
            trial.awaitAllRegistered();
            List<String> identities = workers.stream().map(trial::identity).toList();
            await("a look at each batch").until(() -> trial.redis.zcard("jobs:batches:rest") == 0);

            trial.start(WorkerSettings.of(server.uri(), "low"), jvm);
            await("the end of all batches").until(() -> trial.producer.batches().findAll(ids).values().stream()
                    .allMatch(batch -> batch.state() == State.SUCCEEDED));
            await("all callbacks")
                    .until(() -> trial.executions().stream()
                                    .filter(Execution::finished)
                                    .count()
                            >= 2L * batches);
            assertThat(workers).as("the first workers").allMatch(Worker::isAlive);
            assertThat(workers.stream().map(trial::identity).toList()).isEqualTo(identities);
            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            assertThat(verdict.recovered()).isZero();
            trial.note("batches", Map.of("count", batches, "bytes", 2L * SIZE * batches));
        }
    }
}
