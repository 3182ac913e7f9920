package dev.jobs.faults;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Jobs that are enqueued one after the other while the primary changes: by a client that makes sure that a replica has
 * them, whose jobs the trial accounts for, and by one of the library, which doesn't.
 */
final class FailoverLoad {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Trial trial;
    private final Producer hasty;
    private final ReplicatedPushes careful;

    FailoverLoad(Trial trial, Producer hasty, ReplicatedPushes careful) {
        this.trial = trial;
        this.hasty = hasty;
        this.careful = careful;
    }

    /**
     * Lets the fault happen under this load, and waits until all jobs that Redis still has are done.
     *
     * @param fault what happens in each round; it may call what it is given, which waits until work goes on
     */
    void during(int rounds, Consumer<Runnable> fault) {
        List<Long> resumed = new ArrayList<>();
        ContinuousEnqueuer safe =
                new ContinuousEnqueuer(() -> trial.producer.accepted(careful.push("default", "Work", 20)));
        ContinuousEnqueuer unsafe = new ContinuousEnqueuer(() -> hasty.enqueue("default", "Work", 20));
        try (safe;
                unsafe) {
            for (int round = 0; round < rounds; round++) {
                trial.awaitStarts(trial.executions().size() + 100);
                Instant begun = Instant.now();
                fault.accept(() -> awaitProgress(unsafe)); // there may be no replica then
                awaitMore(safe);
                awaitProgress(unsafe);
                resumed.add(Duration.between(begun, Instant.now()).toMillis());
            }
        }
        trial.note("failover_ms", resumed);
        trial.awaitDone(PATIENCE);
        // The old primary confirmed these jobs, and the new one never received them.
        trial.note("lost_unreplicated", unfinished());
    }

    private void awaitProgress(ContinuousEnqueuer enqueuer) {
        awaitMore(enqueuer);
        trial.awaitStarts(trial.executions().size() + 20);
    }

    private static void awaitMore(ContinuousEnqueuer enqueuer) {
        int before = enqueuer.accepted();
        await("accepted jobs").until(() -> enqueuer.accepted() > before + 20);
    }

    private int unfinished() {
        Set<String> unfinished = new HashSet<>(hasty.accepted());
        trial.executions().stream()
                .filter(Execution::finished)
                .map(Execution::jid)
                .forEach(unfinished::remove);
        return unfinished.size();
    }
}
