package dev.jobs.versions;

import dev.jobs.Internal;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.codec.ArgumentException;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.EarlyOutcome;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.FailureHandling;
import dev.jobs.engine.JobPart;
import dev.jobs.engine.JobRoutes.Route;
import dev.jobs.engine.Outcome;
import dev.jobs.engine.UnknownJobException;
import dev.jobs.handover.Yielding;
import dev.jobs.processes.PublishedJobs.Shape;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether a job that this version of the application can't run waits for a worker of another version, instead
 * of using up its retries. It then goes to the scheduled set for seconds, so that idle workers don't pass it to each
 * other without a pause. Thread-safe.
 *
 * <p>The payload notes since when it waits. A job of an unknown name waits as long as a live worker of its queue knows
 * the name, and otherwise up to the configured time, since such a worker may be about to start. A job whose arguments
 * can't be read waits up to that time while a live worker knows the job with other parameters, and otherwise only for
 * as long as a worker needs to start: usually its caller is wrong, which should be seen soon.
 */
@Internal
public final class ForeignJobs implements JobPart.Unknown {

    private static final Logger log = LoggerFactory.getLogger(ForeignJobs.class);

    /** The member of the payload: epoch milliseconds. */
    public static final String SINCE = "jobs_waits_since";

    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofSeconds(15);

    /** Shorter, since chance decides which worker takes it next time. */
    private static final Duration LONGEST_IF_KNOWN = Duration.ofSeconds(5);

    /** How long a job whose arguments don't fit waits for the first worker that says they fit there. */
    static final Duration START = Duration.ofSeconds(30);

    private static final int MOST_LOGGED = 1_000;

    private final Others others;
    private final FailureHandling payloads;
    private final Duration wait;
    private final Yielding yielding;
    private final Clock clock;
    private final RandomGenerator random;
    private final Map<String, Shape> own;
    private final Set<String> logged = ConcurrentHashMap.newKeySet();

    /** What other workers publish. */
    @FunctionalInterface
    public interface Others {

        /** As {@link OtherWorkers#knowAnother}. */
        boolean knowAnother(String queue, String job, @Nullable Shape own);
    }

    /** @param wait how long a job waits for a worker that knows it; zero if it doesn't wait at all */
    public ForeignJobs(
            Others others,
            FailureHandling payloads,
            Duration wait,
            Yielding yielding,
            EngineEnvironment environment,
            JobRegistry registry) {
        this.others = others;
        this.payloads = payloads;
        this.wait = wait;
        this.yielding = yielding;
        this.clock = environment.clock();
        this.random = environment.random();
        this.own = JobShapes.of(registry).byName();
    }

    /** Whether a failure means that this version can't run the job, rather than that the job failed. */
    private static boolean isMismatch(Throwable failure) {
        return failure instanceof UnknownJobException || failure instanceof ArgumentException;
    }

    /** The payload of a job that has run, or waits for something else. */
    public static Payload withoutNote(Payload payload, @Nullable Throwable failure) {
        return failure != null && isMismatch(failure) || !payload.has(SINCE) ? payload : payload.without(SINCE);
    }

    @Override
    public @Nullable Outcome unknown(ClaimedJob job, Route route, Throwable failure) {
        Payload payload = job.payload();
        if (wait.isZero()) {
            return null;
        }
        Instant now = clock.instant();
        Long noted = payload.integer(SINCE);
        Instant since = noted == null ? now : Instant.ofEpochMilli(noted);
        Duration waited = Duration.between(since, now);
        boolean inTime = waited.compareTo(wait) < 0;
        // This process is among the workers, but has its own shape.
        boolean known = others.knowAnother(job.queue(), route.name(), own.get(route.name()));
        boolean waits = route.definition() == null ? inTime || known : inTime && (known || waited.compareTo(START) < 0);
        if (!waits) {
            return null;
        }
        if (known) {
            yielding.begin();
        }
        Duration delay = known ? delay(waited.dividedBy(4), LONGEST_IF_KNOWN) : delay(waited, LONGEST);
        if (logged.size() < MOST_LOGGED && logged.add(route.name())) {
            log.warn(
                    "Job {} can't run in this version of the application: {}. It waits {} s for a worker that can run it."
                            + " This is logged once for each name",
                    job,
                    failure.getMessage(),
                    (route.definition() == null || known || wait.compareTo(START) < 0 ? wait : START).toSeconds());
        }
        return new EarlyOutcome.Later(
                Ending.POSTPONED,
                " by " + EarlyOutcome.DELAY + " s, for a worker that can run it",
                payloads.waiting(payload, job.queue()).with(SINCE, since.toEpochMilli()),
                delay,
                null);
    }

    /** At least a second, and up to half as much again, so that jobs don't come back together. */
    private Duration delay(Duration grows, Duration most) {
        long millis = Math.max(SHORTEST.toMillis(), Math.min(most.toMillis(), grows.toMillis()));
        return Duration.ofMillis(millis + random.nextLong(millis / 2));
    }
}
