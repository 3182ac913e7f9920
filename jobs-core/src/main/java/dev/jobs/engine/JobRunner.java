package dev.jobs.engine;

import dev.jobs.ArgumentMask;
import dev.jobs.ArgumentMasking;
import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.JobDefinition;
import dev.jobs.JobFailedException;
import dev.jobs.JobHooks;
import dev.jobs.JobInterruptedException;
import dev.jobs.JobMiddleware;
import dev.jobs.JobRegistry;
import dev.jobs.JobsException;
import dev.jobs.Payload;
import dev.jobs.codec.AnyFailure;
import dev.jobs.codec.ArgumentCodec;
import dev.jobs.codec.ArgumentException;
import dev.jobs.codec.OneLine;
import dev.jobs.engine.JobRoutes.Route;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Runs one job: from its bytes to its {@link Outcome}. Errors in the bytes, the arguments or the job's own code are
 * outcomes too, never exceptions. What features add to that is in {@linkplain JobPart parts}. Calls Redis only through
 * them, and starts no thread. Thread-safe.
 */
@Internal
public final class JobRunner {

    private static final Logger log = LoggerFactory.getLogger(JobRunner.class);

    private final JobRoutes routes;
    private final JobHooks hooks;
    private final FailureHandling failureHandling;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private final Consumer<OutOfMemoryError> outOfMemory;
    private final ArgumentMasking masking;
    private final JobParts parts;
    private final AttemptRecord attempts;

    /** @param parts what features add to the run of a job, in order */
    public JobRunner(
            JobRegistry registry,
            JobHooks hooks,
            FailureHandling failureHandling,
            EngineEnvironment environment,
            List<JobPart> parts) {
        this.routes = new JobRoutes(registry, new ArgumentCodec());
        this.masking = new ArgumentMasking(registry, hooks.all(ArgumentMask.class));
        this.hooks = hooks;
        this.failureHandling = failureHandling;
        this.clock = environment.clock();
        this.nanoTime = environment.nanoTime();
        this.attempts = new AttemptRecord(masking, clock, nanoTime);
        this.outOfMemory = environment.outOfMemory();
        this.parts = new JobParts(parts);
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
        job.parsed(payload, parts);
        parts.read(job);
        String name = payload.name();
        if (name == null || !canRun(payload)) {
            JobsException reason = new JobsException((name == null ? "'class' is not a text" : "'args' is not an array")
                    + " (jid " + OneLine.of(job.jid()) + ")");
            hooks.failed(
                    reason, "An entry of queue " + job.queue() + " can't be run; it goes to the dead set", payload);
            return failureHandling.unusable(payload, job.queue(), reason);
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
        JobPart.Refusal refusal = job.part(JobPart.Refusal.class);
        Outcome instead = refusal == null ? parts.before(job, definition) : parts.refused(job, refusal.why());
        if (instead != null) {
            return instead;
        }
        @Nullable Object[] bound;
        try {
            bound = routes.bind(job, route);
        } catch (UnknownJobException | ArgumentException e) {
            Outcome waits = parts.unknown(job, route, e);
            return waits != null && job.isOurs() ? waits : failed(job, payload, retry, e);
        } catch (Throwable e) {
            return thrown(job, payload, retry, e);
        }
        int entered = 0;
        try {
            JobDefinition known = Objects.requireNonNull(definition);
            try {
                while (instead == null && entered < parts.around()) {
                    instead = parts.enter(entered++, job, known);
                }
                if (instead == null) {
                    proceed(hooks.jobMiddleware(), job, known, bound);
                }
            } finally {
                parts.leave(entered, job);
                job.leave();
            }
            return instead == null ? new Outcome.Done(parts.done(job, known)) : instead;
        } catch (Throwable e) {
            return thrown(job, payload, retry, e);
        } finally {
            parts.decided(entered, job);
        }
    }

    private Outcome thrown(ClaimedJob job, Payload payload, Object retry, Throwable failure) {
        OutOfMemoryError error = AnyFailure.outOfMemory(failure);
        if (error != null) {
            // This JVM may be unusable. Its jobs are recovered elsewhere; the job that caused it is buried if it does
            // so repeatedly.
            outOfMemory.accept(error);
        }
        if (job.isOurs()) {
            Outcome own = parts.thrown(job, failure, fails(job, payload));
            if (own != null) {
                return own instanceof Outcome.Later ? parts.again(job, own) : own;
            }
        }
        if (failure instanceof JobInterruptedException) {
            return parts.again(job, failureHandling.interrupted(payload));
        }
        return failure instanceof JobFailedException
                ? new Outcome.Failed(failure)
                : failed(job, payload, retry, failure);
    }

    /** Whether a payload names a job, with an array of arguments or none. */
    public static boolean canRun(Payload payload) {
        return payload.name() != null && (payload.hasArgsArray() || !payload.has("args"));
    }

    private Outcome failed(ClaimedJob job, Payload payload, Object retry, Throwable failure) {
        if (!job.isOurs()) {
            return new Outcome.TakenAway(failure);
        }
        hooks.failed(failure, "Job " + job + " failed", payload);
        return decided(job, payload, failureHandling.decide(payload, job.queue(), retry, failure));
    }

    private JobPart.Fails fails(ClaimedJob job, Payload payload) {
        return (failure, how, retry, mayRetry) -> {
            hooks.failed(failure, "Job " + job + " " + how, payload);
            return decided(job, payload, failureHandling.decide(payload, job.queue(), retry, failure, mayRetry));
        };
    }

    private Outcome decided(ClaimedJob job, Payload payload, Outcome outcome) {
        Outcome known = outcome instanceof Outcome.Retried ? parts.again(job, outcome) : outcome;
        return known == outcome ? attempts.addTo(outcome, job, payload) : known;
    }

    /**
     * What becomes of a job whose thread was left behind. Called on another thread than the one that still runs it,
     * whose outcome is ignored.
     */
    Outcome abandoned(ClaimedJob job) {
        Payload payload = job.payload();
        Throwable why = Objects.requireNonNull(job.abandonedFor());
        Outcome own = parts.thrown(job, why, fails(job, payload));
        Outcome outcome = own == null ? fails(job, payload).with(why, "failed", true, true) : own;
        long took = nanoTime.getAsLong() - job.startedNanos();
        log(() -> JobLog.about(job)); // this thread didn't run it
        ended(job, payload, outcome, took, outcome.isExecuted());
        return outcome;
    }

    private void ended(ClaimedJob job, Payload payload, Outcome outcome, long took, boolean executed) {
        if (executed) {
            parts.executed(job, outcome.failure() != null, took, waited(payload, took));
        }
        log(() -> JobLog.end(job, outcome, Duration.ofNanos(took), masking));
        log(JobLog::clear);
    }

    /** How long the job had been in its queue, in milliseconds. */
    private long waited(Payload payload, long took) {
        Duration waited = AttemptRecord.waited(
                payload.time("enqueued_at"), clock.instant().minusNanos(took));
        return waited == null ? JobPart.Counts.UNKNOWN : waited.toMillis();
    }

    private void proceed(
            List<JobMiddleware> middleware, ClaimedJob job, JobDefinition definition, @Nullable Object[] bound)
            throws Throwable {
        job.reachesCode();
        if (middleware.isEmpty()) {
            parts.returned(job, definition, definition.invoke(bound, job));
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
