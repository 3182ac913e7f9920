package dev.jobs.engine;

import dev.jobs.ArgumentMask;
import dev.jobs.ArgumentMasking;
import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.JobDefinition;
import dev.jobs.JobHooks;
import dev.jobs.JobInterruptedException;
import dev.jobs.JobMiddleware;
import dev.jobs.JobRegistry;
import dev.jobs.JobsException;
import dev.jobs.Payload;
import dev.jobs.codec.AnyFailure;
import dev.jobs.engine.JobRoutes.Route;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
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
    private final Clock clock;
    private final LongSupplier nanoTime;
    private final ArgumentMasking masking;
    private final JobParts parts;
    private final ContextParts contextParts;
    private final JobFailures failures;

    /** @param parts what features add to the run of a job, in order */
    public JobRunner(
            JobRegistry registry,
            JobHooks hooks,
            FailureHandling failureHandling,
            EngineEnvironment environment,
            List<JobPart> parts) {
        this.routes = new JobRoutes(registry, registry.codec());
        this.masking = new ArgumentMasking(registry, hooks.all(ArgumentMask.class));
        this.hooks = hooks;
        this.clock = environment.clock();
        this.nanoTime = environment.nanoTime();
        this.parts = new JobParts(parts);
        this.contextParts = new ContextParts(parts);
        this.failures = new JobFailures(hooks, failureHandling, environment, masking, parts);
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
            return failures.unreadable(job, e);
        }
        job.parsed(payload, contextParts);
        parts.read(job);
        String name = payload.name();
        if (name == null || !canRun(payload)) {
            return failures.unusable(job);
        }
        long started = nanoTime.getAsLong();
        log(() -> JobLog.about(job));
        hooks.tell(listener -> listener.started(job)); // may put more into the MDC
        log(() -> JobLog.start(job));
        Route read = job.part(Route.class); // by a gate
        Route route = read == null ? routes.of(payload, name, job.name()) : read;
        Outcome outcome = perform(job, route);
        long took = nanoTime.getAsLong() - started;
        if (job.isAbandoned()) {
            log(() -> JobLog.late(job, Duration.ofNanos(took)));
            log(JobLog::clear);
            return outcome;
        }
        ended(job, outcome, took, route.definition() != null && outcome.isExecuted());
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

    private Outcome perform(ClaimedJob job, Route route) {
        JobDefinition definition = route.definition();
        JobPart.Refusal refusal = job.part(JobPart.Refusal.class);
        Outcome instead = refusal == null ? parts.before(job, definition) : failures.refused(job, refusal.why());
        if (instead != null) {
            return instead;
        }
        @Nullable Object[] bound;
        try {
            bound = routes.bind(job, route);
        } catch (Throwable e) {
            return failures.unbound(job, route, e);
        }
        int entered = 0;
        try {
            JobDefinition known = Objects.requireNonNull(definition);
            try {
                while (instead == null && entered < parts.around()) {
                    instead = parts.enter(entered++, job, known);
                }
                if (instead == null) {
                    if (!job.reachesCode()) { // it may run elsewhere, with what it has given back
                        throw new JobInterruptedException("It was taken away before its code began");
                    }
                    proceed(hooks.jobMiddleware(), job, known, bound);
                }
            } finally {
                parts.leave(entered, job);
                InterruptibleRun.leave(job);
            }
            return instead == null ? new Outcome.Done(parts.done(job, known)) : instead;
        } catch (Throwable e) {
            return failures.thrown(job, definition, e);
        } finally {
            parts.decided(entered, job);
        }
    }

    /** Whether a payload names a job, with an array of arguments or none. */
    public static boolean canRun(Payload payload) {
        return payload.name() != null && (payload.hasArgsArray() || !payload.has("args"));
    }

    /**
     * What becomes of a job whose thread was left behind. Called on another thread than the one that still runs it,
     * whose outcome is ignored.
     */
    Outcome abandoned(ClaimedJob job) {
        log(() -> JobLog.about(job)); // this thread didn't run it
        hooks.tell(listener -> listener.abandoned(job));
        Outcome outcome = failures.abandoned(job);
        long took = nanoTime.getAsLong() - job.startedNanos();
        ended(job, outcome, took, outcome.isExecuted());
        return outcome;
    }

    /** The thread that was left behind with a job is done with it. */
    void over(ClaimedJob job) {
        parts.over(job);
    }

    private void ended(ClaimedJob job, Outcome outcome, long took, boolean executed) {
        if (executed) {
            parts.executed(job, outcome.failure() != null, took, waited(job.payload(), took));
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
