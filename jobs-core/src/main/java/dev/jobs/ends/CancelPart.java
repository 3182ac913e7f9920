package dev.jobs.ends;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobListener.Ending;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.EarlyOutcome;
import dev.jobs.engine.FailureHandling;
import dev.jobs.engine.InterruptibleRun;
import dev.jobs.engine.JobEffects;
import dev.jobs.engine.JobPart;
import dev.jobs.engine.Outcome;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.Effect;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Ends jobs that were cancelled one by one: before they begin, as they run, or by what they throw. Thread-safe. */
@Internal
public final class CancelPart
        implements JobPart.Refuses, JobPart.Begins, JobPart.Around, JobPart.Succeeds, JobPart.Throws, JobPart.Context {

    private final CancelledJobs known;
    private final @Nullable Cancellations stored;
    private final FailureHandling failureHandling;

    /**
     * @param known what this process knows of cancelled jobs
     * @param stored where that is looked up; null if what this process knows counts
     */
    public CancelPart(CancelledJobs known, @Nullable Cancellations stored, FailureHandling failureHandling) {
        this.known = known;
        this.stored = stored;
        this.failureHandling = failureHandling;
    }

    /** The effects of jobs that are given up: a cancellation that was not heard in time goes with them. */
    public static JobEffects.Part whenGivenUp(RedisKeys keys) {
        return (all, job, outcome) -> {
            if (outcome != null && outcome.isGivenUp() && !job.jid().isEmpty()) {
                all.add(Cancellations.ended(keys, job.jid()));
            }
        };
    }

    /** Whether this process knows the job as cancelled, rather than its batch. */
    @Override
    public boolean isCancelled(ClaimedJob job) {
        return known.contains(job.jid());
    }

    /**
     * Whether a job is cancelled, asked before it ends for that. What this process knows may be of an earlier job with
     * that jid. So a job that is known as cancelled is looked up, and forgotten here before that: what is heard
     * meanwhile must stay.
     */
    public Known ask(ClaimedJob job) {
        Cancellations asked = stored;
        if (!isCancelled(job)) {
            return Known.NO;
        }
        if (asked == null) {
            return Known.YES;
        }
        known.remove(job.jid());
        Known answer = Known.of(job, () -> asked.find(job.jid()) != null);
        if (answer != Known.NO) {
            known.add(List.of(job.jid()));
        }
        return answer;
    }

    @Override
    public @Nullable Outcome refused(ClaimedJob job, Ending why) {
        return why == Ending.CANCELLED ? cancelled(job, null) : null;
    }

    /** An iterable job begins, and ends in its own way. */
    @Override
    public @Nullable Outcome before(ClaimedJob job, @Nullable JobDefinition definition) {
        Known cancelled = ask(job);
        boolean iterates = definition != null && definition.isIterable();
        if (cancelled == Known.NO || cancelled == Known.YES && iterates) {
            return null;
        }
        return cancelled == Known.YES ? cancelled(job, null) : failureHandling.notBegun(job.payload());
    }

    /** Who notices a cancellation from now on interrupts the job. */
    @Override
    public @Nullable Outcome enter(ClaimedJob job, JobDefinition definition) {
        boolean interruptible = EndRules.isInterruptible(definition);
        if (!interruptible && job.part(TimedRun.class) == null) {
            return null;
        }
        InterruptibleRun.enter(job, interruptible);
        return switch (definition.isIterable() ? Known.NO : ask(job)) {
            case NO -> null;
            case YES -> cancelled(job, null);
            case UNKNOWN -> failureHandling.interrupted(job.payload());
        };
    }

    @Override
    public List<Effect> done(ClaimedJob job, JobDefinition definition) {
        return isCancelled(job) ? forgetting(job) : List.of();
    }

    @Override
    public @Nullable Outcome thrown(ClaimedJob job, Throwable thrown, JobPart.Fails fails) {
        return switch (ask(job)) {
            case NO -> null;
            case YES -> cancelled(job, thrown);
            case UNKNOWN -> failureHandling.interrupted(job.payload());
        };
    }

    private Outcome cancelled(ClaimedJob job, @Nullable Throwable thrown) {
        job.message("It was cancelled");
        return new EarlyOutcome.Ended(
                Ending.CANCELLED,
                " after " + EarlyOutcome.TOOK + " s, " + EarlyOutcome.THREW,
                null,
                thrown,
                false,
                forgetting(job));
    }

    private List<Effect> forgetting(ClaimedJob job) {
        return stored == null ? List.of() : stored.forget(job.jid());
    }
}
