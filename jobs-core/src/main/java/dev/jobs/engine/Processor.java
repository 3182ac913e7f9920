package dev.jobs.engine;

import dev.jobs.JobListener.Ending;
import dev.jobs.Payload;
import dev.jobs.store.Settlement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Runs the jobs of a capsule, each on the thread that calls. Thread-safe. */
final class Processor {

    private final HeldJobs held;
    private final JobRunner runner;
    private final RunContext context;

    Processor(HeldJobs held, JobRunner runner, RunContext context) {
        this.held = held;
        this.runner = runner;
        this.context = context;
    }

    /**
     * Runs a job to its end, whatever is thrown. Returns false if this thread was abandoned meanwhile and has been
     * replaced.
     */
    boolean process(ClaimedJob job) {
        try {
            return runToEnd(job);
        } catch (Throwable e) {
            context.guard().failed(Thread.currentThread().getName(), e);
            return true;
        }
    }

    private boolean runToEnd(ClaimedJob job) {
        long started = context.nanos();
        if (!begin(job, started)) {
            return true;
        }
        held.began();
        Outcome outcome = run(job);
        boolean ours = job.finish();
        Thread.interrupted(); // belongs to this job, not to the next one
        if (job.isAbandoned()) {
            try {
                runner.over(job);
            } finally {
                context.abandoned().decrementAndGet();
            }
            return false;
        }
        end(job, outcome, ours, started);
        return true;
    }

    /** Settles a job whose thread was abandoned, in the place of that thread. */
    void takeOver(ClaimedJob job) {
        try {
            Outcome outcome;
            try {
                outcome = runner.abandoned(job);
            } catch (Throwable e) {
                outcome = fault(job, e);
            }
            end(job, outcome, !InterruptibleRun.of(job).wasLost(), job.startedNanos());
        } catch (Throwable e) {
            context.guard().failed(Thread.currentThread().getName(), e);
        }
    }

    private void end(ClaimedJob job, Outcome outcome, boolean ours, long started) {
        Payload death = ours ? deathToReport(outcome) : null;
        CompletableFuture<Boolean> stored = null;
        held.share().notifies();
        try {
            if (death != null) {
                stored = held.settleAndAwait(job, settlement(job, outcome));
            } else if (ours) {
                held.settle(job, settlement(job, outcome));
            } else {
                held.ranInVain();
            }
            Duration took = Duration.ofNanos(context.nanos() - started);
            Ending ending = ours ? outcome.ending() : job.takenBy();
            context.hooks().tell(listener -> listener.finished(job, ending, took, outcome.failure()));
            if (death != null && stored != null) {
                held.awaited().thenTell(stored, held.share().isShared(), () -> notifyOf(death, job, outcome));
            }
        } finally {
            held.notified();
        }
        context.guard().worked(Thread.currentThread().getName());
    }

    private @Nullable Payload deathToReport(Outcome outcome) {
        Payload death = outcome.death();
        return death != null && context.hooks().hearsOfDeaths() ? death : null;
    }

    /**
     * Called after the settlement: a handler may search the dead set for the job, and must not be called for a death
     * that a crash kept from being stored.
     */
    private void notifyOf(Payload death, ClaimedJob job, Outcome outcome) {
        JobLog.about(job);
        try {
            context.hooks().died(death, outcome.failure());
        } finally {
            JobLog.clear();
        }
    }

    /**
     * Returns whether the job is to be run. One that can't be begun goes back, so that it isn't left without an owner,
     * and one that has to ask first waits for the answer without a thread.
     */
    private boolean begin(ClaimedJob job, long nanos) {
        boolean begun = false;
        boolean asks = false;
        try {
            asks = !context.gate().mayRun(job);
            begun = !asks && mayStart(job) && job.begin(nanos);
        } finally {
            if (asks) {
                held.ask(job);
            } else if (!begun) {
                held.cannotRun(job);
            }
        }
        return begun;
    }

    /** A thread that other shards need as well does not wait for the Redis of one. */
    private boolean mayStart(ClaimedJob job) {
        return job.incarnation().isFresh()
                || !held.share().isShared() && context.lease().awaitFresh(job.incarnation(), job::isOurs);
    }

    private Outcome run(ClaimedJob job) {
        try {
            return runner.run(job);
        } catch (Throwable e) {
            return fault(job, e);
        }
    }

    /** Outcomes cover everything a job can do, so this is a fault of the engine: keep the job where people see it. */
    private Outcome fault(ClaimedJob job, Throwable e) {
        context.guard()
                .report(
                        "Job " + job + " ended with an error of the engine itself; it goes to the dead set as it is",
                        e);
        return new FailedOutcome.Dead(job.stored(), true, e, null, null);
    }

    private Settlement settlement(ClaimedJob job, Outcome outcome) {
        return context.effects().ended(outcome.settlement(job), job, outcome);
    }
}
