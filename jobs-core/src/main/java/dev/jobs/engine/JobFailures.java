package dev.jobs.engine;

import dev.jobs.ArgumentMasking;
import dev.jobs.InvalidPayloadException;
import dev.jobs.JobDefinition;
import dev.jobs.JobFailedException;
import dev.jobs.JobHooks;
import dev.jobs.JobInterruptedException;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobsException;
import dev.jobs.Payload;
import dev.jobs.codec.AnyFailure;
import dev.jobs.codec.ArgumentException;
import dev.jobs.codec.OneLine;
import dev.jobs.engine.JobRoutes.Route;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Says what becomes of jobs that don't succeed: they can't be run, are refused, throw something, or leave their threads
 * behind. Thread-safe.
 */
final class JobFailures {

    private final JobHooks hooks;
    private final FailureHandling failureHandling;
    private final Consumer<OutOfMemoryError> outOfMemory;
    private final AttemptRecord attempts;
    private final JobPart.Refuses[] refuses;
    private final JobPart.Unknown[] unknown;

    // The last one first.
    private final JobPart.Throws[] throwing;
    private final JobPart.Repeats[] repeats;

    /** @param parts what features add to the run of a job, in order */
    JobFailures(
            JobHooks hooks,
            FailureHandling failureHandling,
            EngineEnvironment environment,
            ArgumentMasking masking,
            List<JobPart> parts) {
        this.hooks = hooks;
        this.failureHandling = failureHandling;
        this.outOfMemory = environment.outOfMemory();
        this.attempts = new AttemptRecord(masking, environment.clock(), environment.nanoTime());
        List<JobPart> reverse = JobParts.reversed(parts);
        this.refuses = JobParts.of(parts, JobPart.Refuses.class);
        this.unknown = JobParts.of(parts, JobPart.Unknown.class);
        this.throwing = JobParts.of(reverse, JobPart.Throws.class);
        this.repeats = JobParts.of(reverse, JobPart.Repeats.class);
    }

    /** The stored bytes are no JSON object. */
    Outcome unreadable(ClaimedJob job, InvalidPayloadException failure) {
        hooks.failed(
                failure, "An entry of queue " + job.queue() + " is not a job; it goes to the dead set as it is", null);
        return new FailedOutcome.Dead(job.stored(), false, failure, null, null);
    }

    /** The stored bytes are a JSON object that {@linkplain JobRunner#canRun can't be run}. */
    Outcome unusable(ClaimedJob job) {
        Payload payload = job.payload();
        JobsException reason =
                new JobsException((payload.name() == null ? "'class' is not a text" : "'args' is not an array")
                        + " (jid " + OneLine.of(job.jid()) + ")");
        hooks.failed(reason, "An entry of queue " + job.queue() + " can't be run; it goes to the dead set", payload);
        return failureHandling.unusable(payload, job.queue(), reason);
    }

    /**
     * A part refused it before it began.
     *
     * @throws IllegalStateException if no part knows the reason
     */
    Outcome refused(ClaimedJob job, Ending why) {
        Outcome outcome = JobParts.first(refuses, part -> part.refused(job, why));
        if (outcome == null) {
            throw new IllegalStateException("No part of the engine knows jobs that end as " + why);
        }
        return outcome;
    }

    /** Its method was not found, or its arguments don't fit, or an upcaster threw something. */
    Outcome unbound(ClaimedJob job, Route route, Throwable failure) {
        if (!(failure instanceof UnknownJobException || failure instanceof ArgumentException)) {
            return thrown(job, route.definition(), failure);
        }
        Outcome waits = JobParts.first(unknown, part -> part.unknown(job, route, failure));
        return waits != null && job.isOurs() ? waits : failed(job, route.definition(), failure);
    }

    /**
     * Its code threw something, or what surrounds its code.
     *
     * @param definition null if no job of that name is known here
     */
    Outcome thrown(ClaimedJob job, @Nullable JobDefinition definition, Throwable failure) {
        OutOfMemoryError error = AnyFailure.outOfMemory(failure);
        if (error != null) {
            // This JVM may be unusable. Its jobs are recovered elsewhere; the job that caused it is buried if it does
            // so repeatedly.
            outOfMemory.accept(error);
        }
        if (job.isOurs()) {
            Outcome own = ofPart(job, failure);
            if (own != null) {
                return own instanceof EarlyOutcome.Later ? again(job, own) : own;
            }
        }
        if (failure instanceof JobInterruptedException) {
            return again(job, failureHandling.interrupted(job.payload()));
        }
        return failure instanceof JobFailedException
                ? new FailedOutcome.Failed(failure)
                : failed(job, definition, failure);
    }

    /** Its thread was left behind. Called on another thread. */
    Outcome abandoned(ClaimedJob job) {
        Throwable why = InterruptibleRun.of(job).abandonedFor();
        Outcome own = ofPart(job, why);
        return own == null ? fail(job, why, "failed", true, true) : own;
    }

    /** The outcome if what it threw means something to a part, else null. */
    private @Nullable Outcome ofPart(ClaimedJob job, Throwable failure) {
        JobPart.Fails fails = (thrown, how, retry, mayRetry) -> fail(job, thrown, how, retry, mayRetry);
        return JobParts.first(throwing, part -> part.thrown(job, failure, fails));
    }

    private Outcome failed(ClaimedJob job, @Nullable JobDefinition definition, Throwable failure) {
        if (!job.isOurs()) {
            return new FailedOutcome.TakenAway(failure);
        }
        Object retry = definition == null ? true : definition.options().getOrDefault("retry", true);
        return fail(job, failure, "failed", retry, true);
    }

    private Outcome fail(ClaimedJob job, Throwable failure, String how, Object retry, boolean mayRetry) {
        Payload payload = job.payload();
        hooks.failed(failure, "Job " + job + " " + how, payload);
        Outcome outcome = failureHandling.decide(payload, job.queue(), retry, failure, mayRetry);
        Outcome known = outcome instanceof FailedOutcome.Retried ? again(job, outcome) : outcome;
        return known == outcome ? attempts.addTo(outcome, job, payload) : known;
    }

    /** The outcome of a job that would run again, if nothing ends it instead. */
    private Outcome again(ClaimedJob job, Outcome outcome) {
        Outcome instead = JobParts.first(repeats, part -> part.insteadOfAgain(job));
        return instead == null ? outcome : instead;
    }
}
