package dev.jobs.engine;

import dev.jobs.ArgumentMasking;
import dev.jobs.Expiry;
import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.JobDefinition;
import dev.jobs.JobFailedException;
import dev.jobs.JobHooks;
import dev.jobs.JobInterruptedException;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobMiddleware;
import dev.jobs.JobRegistry;
import dev.jobs.JobsException;
import dev.jobs.Payload;
import dev.jobs.batches.BatchEffects;
import dev.jobs.batches.BatchJobId;
import dev.jobs.batches.BatchRun;
import dev.jobs.codec.AnyFailure;
import dev.jobs.codec.ArgumentCodec;
import dev.jobs.codec.ArgumentException;
import dev.jobs.codec.OneLine;
import dev.jobs.ends.EarlyEnds;
import dev.jobs.ends.JobTimeoutException;
import dev.jobs.ends.TimeLimit;
import dev.jobs.ends.TimeWatch;
import dev.jobs.engine.JobRoutes.Route;
import dev.jobs.iterations.Iteration;
import dev.jobs.iterations.RunStore;
import dev.jobs.iterations.RunStore.Known;
import dev.jobs.limits.Permits.Answer;
import dev.jobs.metrics.ExecutionCounts;
import dev.jobs.results.JobReport;
import dev.jobs.results.ReturnedValue;
import dev.jobs.store.Effect;
import dev.jobs.unique.UniqueRule;
import dev.jobs.versions.ForeignJobs;
import dev.jobs.versions.UnknownJobException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Runs one job: from its bytes to its {@link Outcome}. Errors in the bytes, the arguments or the job's own code are
 * outcomes too, never exceptions. Calls Redis only through a {@link RunStore}, and starts no thread. Thread-safe.
 */
@Internal
public final class JobRunner {

    private static final Logger log = LoggerFactory.getLogger(JobRunner.class);

    private final JobRoutes routes;
    private final JobHooks hooks;
    private final FailureHandling failureHandling;
    private final ExecutionCounts executions;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private final Consumer<OutOfMemoryError> outOfMemory;
    private final RunStore store;
    private final EarlyEnds earlyEnds;
    private final ForeignJobs foreign;
    private final ArgumentMasking masking;
    private final JobReport.Surroundings reports;
    private final AttemptRecord attempts;
    private final ArgumentCodec arguments = new ArgumentCodec();
    private final ReturnedValue returnedValue = new ReturnedValue(arguments);
    private final AtomicBoolean warnedOfBatch = new AtomicBoolean();

    public JobRunner(
            JobRegistry registry,
            JobHooks hooks,
            FailureHandling failureHandling,
            ExecutionCounts executions,
            EngineEnvironment environment,
            RunStore store,
            EarlyEnds earlyEnds,
            ForeignJobs foreign) {
        this.routes = new JobRoutes(registry, arguments);
        this.masking = new ArgumentMasking(registry, hooks.argumentMasks());
        this.hooks = hooks;
        this.failureHandling = failureHandling;
        this.executions = executions;
        this.clock = environment.clock();
        this.reports = new JobReport.Surroundings(masking, clock);
        this.nanoTime = environment.nanoTime();
        this.attempts = new AttemptRecord(masking, clock, nanoTime);
        this.outOfMemory = environment.outOfMemory();
        this.store = store;
        this.earlyEnds = earlyEnds;
        this.foreign = foreign;
    }

    /**
     * Reads arguments for each known job, so that the first real job need not wait for classes to load. Never throws.
     */
    public void rehearse() {
        routes.rehearse();
    }

    /**
     * Runs a job on the current thread. The outcome must be ignored if the job was taken away in the meantime; no
     * handler is called then.
     */
    public Outcome run(ClaimedJob job) {
        Payload payload;
        try {
            payload = Payload.parse(job.stored());
        } catch (InvalidPayloadException e) {
            hooks.failed(
                    e, "An entry of queue " + job.queue() + " is not a job; it goes to the dead set as it is", null);
            return new Outcome.Dead(job.stored(), false, e, null);
        }
        job.parsed(payload, earlyEnds.cancelled().jobs(), reports);
        BatchJobId place = BatchEffects.place(payload);
        if (place != null) {
            boolean keepsResult = Long.valueOf(BatchEffects.KEEPS_RESULT).equals(payload.integer(BatchEffects.MEMBER));
            job.inBatch(new BatchRun(
                    place,
                    keepsResult,
                    hooks.batches(),
                    earlyEnds.cancelled().batches()::contains,
                    text -> masking.shown(payload, text)));
        }
        String name = payload.name();
        if (name == null || !canRun(payload)) {
            JobsException reason = new JobsException((name == null ? "'class' is not a text" : "'args' is not an array")
                    + " (jid " + OneLine.of(job.jid()) + ")");
            hooks.failed(
                    reason, "An entry of queue " + job.queue() + " can't be run; it goes to the dead set", payload);
            return failureHandling.unusable(payload, job.queue(), reason);
        }
        if (payload.text("bid") != null && !warnedOfBatch.getAndSet(true)) {
            log.warn(
                    "Job {} belongs to a batch of Ruby's. It runs, but its batch is never notified of its end; leave jobs of batches to Ruby. "
                            + "This is logged once",
                    job);
        }
        long started = nanoTime.getAsLong();
        log(() -> JobLog.about(job));
        hooks.tell(listener -> listener.started(job)); // may put more into the MDC
        log(() -> JobLog.start(job));
        Route route = routes.of(payload, name, job.name());
        Outcome outcome = perform(job, payload, route);
        long took = nanoTime.getAsLong() - started;
        if (job.isAbandoned()) {
            log(() -> JobLog.late(job, Duration.ofNanos(took)));
            log(JobLog::clear);
            return outcome;
        }
        ended(job, payload, outcome, took, route.definition() != null && outcome.isExecuted());
        return outcome;
    }

    /** A line that can't be written has no effect on the job. */
    private static void log(Runnable line) {
        try {
            line.run();
        } catch (Throwable e) {
            AnyFailure.passOutOfMemory(e);
            AnyFailure.log(log, Level.WARN, "Could not log a line about a job", e);
        }
    }

    private Outcome perform(ClaimedJob job, Payload payload, Route route) {
        JobDefinition definition = route.definition();
        Object retry = definition == null ? true : definition.options().getOrDefault("retry", true);
        Answer unmet = job.unmet();
        if (unmet != null) {
            return notRun(job, payload, unmet);
        }
        Known batch = store.isBatchCancelled(job);
        if (batch != Known.NO) {
            return batch == Known.YES ? skipped() : failureHandling.notBegun(payload);
        }
        boolean iterates = definition != null && definition.isIterable(); // such a job ends in its own way
        Known cancelled = store.isCancelled(job);
        if (cancelled == Known.UNKNOWN || cancelled == Known.YES && !iterates) {
            return cancelled == Known.YES ? cancelled(job, null) : failureHandling.notBegun(payload);
        }
        Instant expiry = Expiry.of(payload);
        if (expiry != null) {
            if (!store.beginsInTime(job, expiry, clock.instant())) {
                return expired(job, expiry);
            }
            job.extras().beganInTime();
        }
        @Nullable Object[] bound;
        try {
            bound = routes.bind(job, route);
        } catch (UnknownJobException | ArgumentException e) {
            Outcome waits = foreign.postpone(job, payload, route, e);
            return waits != null && job.isOurs() ? waits : failed(job, payload, retry, e);
        } catch (Throwable e) {
            return thrown(job, payload, retry, e);
        }
        earlyEnds.over().enter(job);
        try {
            JobDefinition known = Objects.requireNonNull(definition);
            if (payload.has(UniqueRule.LOCK) && !store.begins(payload)) {
                return replaced();
            }
            TimeWatch times = earlyEnds.times();
            TimeLimit limit = times == null ? null : times.limit(payload, known);
            if (limit == null && !known.isInterruptible()) {
                proceed(hooks.jobMiddleware(), job, known, bound);
            } else {
                Known end = proceedInterruptibly(job, known, bound, limit);
                if (end != Known.NO) {
                    return end == Known.YES ? cancelled(job, null) : failureHandling.interrupted(payload);
                }
            }
            return done(job, iterates);
        } catch (Throwable e) {
            return thrown(job, payload, retry, e);
        } finally {
            earlyEnds.over().leave();
        }
    }

    /** Redis said so when the job asked for its permits. It has none, so it can't be run in any case. */
    private Outcome notRun(ClaimedJob job, Payload payload, Answer unmet) {
        return switch (unmet) {
            case EXPIRED -> expired(job, Objects.requireNonNull(Expiry.of(payload)));
            case CANCELLED -> cancelled(job, null);
            case REPLACED -> replaced();
            default -> skipped();
        };
    }

    /** Runs the job, unless it was cancelled in the meantime or may have been, which is returned. */
    private Known proceedInterruptibly(
            ClaimedJob job, JobDefinition definition, @Nullable Object[] bound, @Nullable TimeLimit limit)
            throws Throwable {
        job.enter(definition.isInterruptible(), limit);
        TimeWatch times = limit == null ? null : earlyEnds.times();
        if (times != null && limit != null) {
            times.begin(job, limit);
        }
        try {
            // Who notices a cancellation from now on interrupts the job.
            Known cancelled = definition.isIterable() ? Known.NO : store.isCancelled(job);
            if (cancelled == Known.NO) {
                proceed(hooks.jobMiddleware(), job, definition, bound);
            }
            return cancelled;
        } finally {
            if (times != null) {
                times.end(job);
            }
            job.leave();
        }
    }

    private Outcome done(ClaimedJob job, boolean iterates) {
        List<Effect> own = iterates ? store.whenDone(job) : List.of();
        if (!job.isCancelledItself()) {
            return new Outcome.Done(own);
        }
        List<Effect> all = new ArrayList<>(own);
        all.addAll(store.whenCancelled(job));
        return new Outcome.Done(all);
    }

    private Outcome cancelled(ClaimedJob job, @Nullable Throwable thrown) {
        BatchRun run = job.batchRun();
        if (run != null) {
            run.message("It was cancelled");
        }
        return new Outcome.Ended(
                Ending.CANCELLED,
                " after " + Outcome.TOOK + " s, " + Outcome.THREW,
                null,
                thrown,
                false,
                store.whenCancelled(job));
    }

    private static Outcome expired(ClaimedJob job, Instant expiry) {
        BatchRun run = job.batchRun();
        if (run != null) {
            run.message("It expired at " + expiry);
        }
        return Outcome.Ended.notRun(Ending.EXPIRED, " at " + expiry + ", is not run", "It expired at " + expiry);
    }

    private static Outcome skipped() {
        return new Outcome.Ended(
                Ending.SKIPPED, " after " + Outcome.TOOK + " s, its batch is cancelled", null, null, true, List.of());
    }

    private static Outcome replaced() {
        return Outcome.Ended.notRun(
                Ending.REPLACED,
                ", a later job has its lock, is not run",
                "A later job with the key of its lock replaced it");
    }

    private Outcome thrown(ClaimedJob job, Payload payload, Object retry, Throwable failure) {
        OutOfMemoryError error = AnyFailure.outOfMemory(failure);
        if (error != null) {
            // This JVM may be unusable. Its jobs are recovered elsewhere; the job that caused it is buried if it does
            // so repeatedly.
            outOfMemory.accept(error);
        }
        Known cancelled = job.isOurs() ? store.isCancelled(job) : Known.NO;
        if (cancelled != Known.NO) {
            return cancelled == Known.YES ? cancelled(job, failure) : failureHandling.interrupted(payload);
        }
        TimeLimit limit = job.limit();
        if (limit != null && limit.isOver() && job.isOurs()) {
            return timedOut(job, payload, limit, failure);
        }
        if (failure instanceof JobInterruptedException) {
            return endsWithBatch(job) ? skipped() : failureHandling.interrupted(payload);
        }
        Duration delay = earlyEnds.over().delay(payload, failure);
        if (delay != null && job.isOurs()) {
            return endsWithBatch(job)
                    ? skipped()
                    : new Outcome.Later(
                            Ending.OVER_LIMIT,
                            " after " + Outcome.TOOK + " s, comes back in " + Outcome.DELAY + " s: " + Outcome.REASON,
                            failureHandling.overLimit(payload, job.queue()),
                            delay,
                            failure);
        }
        return failure instanceof JobFailedException
                ? new Outcome.Failed(failure)
                : failed(job, payload, retry, failure);
    }

    /** Whether a payload names a job, with an array of arguments or none. */
    public static boolean canRun(Payload payload) {
        return payload.name() != null && (payload.hasArgsArray() || !payload.has("args"));
    }

    private void iterate(JobDefinition definition, @Nullable Object returned, ClaimedJob job) throws Exception {
        if (returned instanceof Iteration<?> iteration) {
            if (!definition.isIterable()) {
                throw new JobsException("The @Job method " + definition.place()
                        + " returned an Iteration, but doesn't declare that; let Iteration be its return type");
            }
            store.iterate(iteration, job);
        } else if (definition.isIterable()) {
            log.info("{} returned null instead of an Iteration, so there is nothing to do", job);
        } else if (returned != null) {
            returnedValue.keep(returned, definition.method().getGenericReturnType(), job);
        }
    }

    private Outcome failed(ClaimedJob job, Payload payload, Object retry, Throwable failure) {
        if (!job.isOurs()) {
            return new Outcome.TakenAway(failure);
        }
        hooks.failed(failure, "Job " + job + " failed", payload);
        return decided(job, payload, failureHandling.decide(payload, job.queue(), retry, failure));
    }

    private Outcome timedOut(ClaimedJob job, Payload payload, TimeLimit limit, @Nullable Throwable thrown) {
        JobTimeoutException failure = limit.failure(thrown);
        hooks.failed(failure, "Job " + job + " timed out", payload);
        return decided(
                job, payload, failureHandling.decide(payload, job.queue(), limit.retry(), failure, limit.mayRetry()));
    }

    private Outcome decided(ClaimedJob job, Payload payload, Outcome outcome) {
        return outcome instanceof Outcome.Retried && endsWithBatch(job)
                ? skipped()
                : attempts.addTo(outcome, job, payload);
    }

    private boolean endsWithBatch(ClaimedJob job) {
        return job.isBatchCancelled() && store.isBatchCancelled(job) == Known.YES;
    }

    /**
     * What becomes of a job that did not end in the grace after its timeout. Called on another thread than the one that
     * still runs it, whose outcome is ignored.
     */
    Outcome abandoned(ClaimedJob job) {
        Payload payload = job.payload();
        TimeLimit limit = Objects.requireNonNull(job.limit());
        Outcome outcome =
                switch (store.isCancelled(job)) {
                    case YES -> cancelled(job, limit.failure(null));
                    case UNKNOWN -> failureHandling.interrupted(payload);
                    case NO -> timedOut(job, payload, limit, null);
                };
        long took = nanoTime.getAsLong() - job.startedNanos();
        log(() -> JobLog.about(job)); // this thread didn't run it
        ended(job, payload, outcome, took, outcome.isExecuted());
        return outcome;
    }

    private void ended(ClaimedJob job, Payload payload, Outcome outcome, long took, boolean executed) {
        if (executed) {
            executions.ended(payload, job.name(), job.queue(), outcome.failure() != null, took, waited(payload, took));
        }
        log(() -> JobLog.end(job, outcome, Duration.ofNanos(took), masking));
        log(JobLog::clear);
    }

    /** How long the job had been in its queue, in milliseconds. */
    private long waited(Payload payload, long took) {
        Duration waited = AttemptRecord.waited(
                payload.time("enqueued_at"), clock.instant().minusNanos(took));
        return waited == null ? ExecutionCounts.UNKNOWN : waited.toMillis();
    }

    private void proceed(
            List<JobMiddleware> middleware, ClaimedJob job, JobDefinition definition, @Nullable Object[] bound)
            throws Throwable {
        job.reachesCode();
        if (middleware.isEmpty()) {
            iterate(definition, definition.invoke(bound, job), job);
            return;
        }
        List<JobMiddleware> rest = middleware.subList(1, middleware.size());
        middleware.get(0).perform(job, () -> {
            try {
                proceed(rest, job, definition, bound);
            } catch (Exception | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new JobsException("The job threw neither an Exception nor an Error", e);
            }
        });
    }
}
