package dev.jobs.engine;

import dev.jobs.Iteration;
import dev.jobs.JobsException;
import dev.jobs.redis.Cancellations;
import dev.jobs.redis.Effect;
import dev.jobs.redis.IterationStore;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs the iterations that jobs return. Thread-safe. */
final class IterationRunner implements JobRunner.Iterations {

    private final IterationStore store;
    private final Cancellations cancellations;
    private final RunContext context;
    private final Duration shutdownTimeout;
    private final @Nullable Duration maxRuntime;

    IterationRunner(IterationStore store, Cancellations cancellations, RunContext context, EngineConfig config) {
        this.store = store;
        this.cancellations = cancellations;
        this.context = context;
        this.shutdownTimeout = config.shutdownTimeout();
        this.maxRuntime = config.maxIterationRuntime();
    }

    /**
     * Continues where the job was left, until it is complete, is cancelled, or has to leave.
     *
     * @throws dev.jobs.JobInterruptedException if it has to leave; its progress is stored by then
     * @throws dev.jobs.InvalidCursorException if its stored progress can't be read
     */
    @Override
    public void run(Iteration<?> iteration, ClaimedJob job) throws Exception {
        if (job.jid().isEmpty()) {
            throw new JobsException("Job " + job + " has no jid, so its progress can't be stored");
        }
        Duration own = iteration.maxRuntime();
        IterationRun.Limits limits = new IterationRun.Limits(own != null ? own : maxRuntime, shutdownTimeout);
        new IterationRun<>(iteration, job, store, context, limits).run();
    }

    /** Removes the stored progress of an iteration once its job is done. */
    @Override
    public List<Effect> whenDone(ClaimedJob job) {
        return List.of(store.removal(job.jid()));
    }

    @Override
    public List<Effect> whenCancelled(ClaimedJob job) {
        return cancellations.forget(job.jid());
    }
}
