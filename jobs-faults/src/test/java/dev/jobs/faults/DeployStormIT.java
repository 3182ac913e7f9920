package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.faults.RanWith.Line;
import dev.jobs.faults.TwoVersions.Call;
import dev.jobs.faults.WorkerSettings.Program;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Two versions of an application replace each other in one worker after another, half of which are killed, while
 * callers of both enqueue: no job is lost, none dies, and none runs with a value that nobody gave or declared. No job
 * may be retried, so one that fails even once is found in the dead set.
 */
@FaultTest
class DeployStormIT {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int WORKERS = 4;
    private static final int PER_TICK = 10;
    private static final int MOST_WAITING = 2_000;
    private static final Duration TICK = Duration.ofMillis(50); // 200 jobs a second

    private final Dose dose = Dose.current();
    private final Map<String, Call> calls = new ConcurrentHashMap<>();
    private final AtomicInteger number = new AtomicInteger();
    private final Set<Integer> killed = new HashSet<>();

    @Test
    void noJobIsLostOrBuriedOrRunsWithInventedValues() throws InterruptedException {
        try (RedisServer server = new RedisServer(Trial.directory("redis"));
                Trial trial = new Trial("deploy-storm", server.uri())) {
            // Far longer than any job takes: one that was handed back would run twice.
            WorkerSettings settings =
                    WorkerSettings.of(server.uri(), "default").withShutdownTimeout(Duration.ofSeconds(20));
            List<Worker> workers = new ArrayList<>();
            for (int i = 0; i < WORKERS; i++) {
                workers.add(trial.start(settings.withProgram(i % 2 == 0 ? Program.VERSION_ONE : Program.VERSION_TWO)));
            }
            trial.awaitAllRegistered();
            ScheduledExecutorService callers = Executors.newSingleThreadScheduledExecutor();
            callers.scheduleAtFixedRate(() -> enqueue(trial), 0, TICK.toMillis(), TimeUnit.MILLISECONDS);
            int restarts = dose.of(4, 20);
            for (int i = 0; i < restarts; i++) {
                awaitMore(dose.of(50, 600));
                workers.set(i % WORKERS, restart(trial, workers.get(i % WORKERS), i % 4 == 0 || i % 4 == 3));
                trial.awaitAllRegistered(); // as a deployment waits until a worker is ready
            }
            callers.shutdown();
            assertThat(callers.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            trial.note("restarts", restarts);
            trial.note("kills", killed.size());
            trial.awaitDone(PATIENCE);
            trial.note("in_dead", trial.buried().size());
            Set<Line> invented = invented(trial);
            trial.note("invented", invented.size());
            trial.note("postponed", postponed(trial));

            Verdict verdict = trial.end();
            trial.assertSound(verdict);
            assertThat(verdict.executed()).as("ran to the end").isEqualTo(verdict.enqueued());
            assertThat(trial.buried()).as("in the dead set").isEmpty();
            assertThat(invented).as("values that nobody gave").isEmpty();
            assertThat(postponed(trial)).as("the versions met").isPositive();
            assertThat(verdict.recovered()).as("the kills hit running jobs").isPositive();
            assertThat(ranAgainWithoutACause(trial))
                    .as("ran twice though no worker was killed")
                    .isEmpty();
            trial.assertCountedOnce();
        }
    }

    private void enqueue(Trial trial) {
        if (trial.queued() > MOST_WAITING) { // or a slow machine would never be done
            return;
        }
        for (int i = 0; i < PER_TICK; i++) {
            int next = number.getAndIncrement();
            Call call = Call.of(next % 2 == 0, next / 2);
            calls.put(
                    trial.producer.enqueueOnce(
                            "default", call.name(), call.arguments().toArray()),
                    call);
        }
    }

    private void awaitMore(int jobs) {
        int enough = number.get() + jobs;
        await().until(() -> number.get() >= enough);
    }

    /** Ends a worker, by a kill or a request, and starts one of the other version in its place. */
    private Worker restart(Trial trial, Worker worker, boolean kill) {
        if (kill) {
            await().pollInterval(Duration.ofMillis(10)).until(worker::killInTheMiddleOfAJob);
            killed.add(worker.number);
        } else {
            worker.terminate();
            assertThat(worker.awaitEnd(PATIENCE)).isTrue();
        }
        Program other = worker.settings.program() == Program.VERSION_ONE ? Program.VERSION_TWO : Program.VERSION_ONE;
        return trial.start(worker.settings.withProgram(other));
    }

    private Set<Line> invented(Trial trial) {
        return new RanWith(trial.directory)
                .read().stream()
                        .filter(line -> !calls.get(line.jid()).mayRunWith().contains(line.values()))
                        .collect(Collectors.toSet());
    }

    /** How often a job met the version that can't run it. */
    private static long postponed(Trial trial) {
        return trial.books().moved();
    }

    /** Jobs of which an execution other than the last was on a worker that was not killed. */
    private Set<String> ranAgainWithoutACause(Trial trial) {
        return trial.executions().stream().collect(Collectors.groupingBy(Execution::jid)).values().stream()
                .filter(all -> all.stream()
                                .filter(execution -> !killed.contains(execution.worker()))
                                .count()
                        > 1)
                .map(all -> all.get(0).jid())
                .collect(Collectors.toSet());
    }
}
