package dev.jobs.engine;

import dev.jobs.ArgumentMasking;
import dev.jobs.PastAttempt;
import dev.jobs.Payload;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Adds a failed attempt to what the payload of its job remembers. Jobs that don't fail, and those that are kept
 * nowhere, are left alone. Thread-safe.
 *
 * @param masking hides arguments in messages: who reads them may not have the arguments
 */
record AttemptRecord(ArgumentMasking masking, Clock clock, LongSupplier nanoTime) {

    private static final Duration LONGEST_WAIT = Duration.ofDays(36_500);

    /** By which the clock of a client may be ahead. */
    private static final Duration MOST_AHEAD = Duration.ofMinutes(1);

    /**
     * @param stored the job as it was claimed
     * @param outcome what its failure leads to
     */
    Outcome addTo(Outcome outcome, ClaimedJob job, Payload stored) {
        if (outcome instanceof FailedOutcome.Retried retried) {
            Payload payload =
                    attempt(job, stored, retried.failure()).addTo(masking.stored(retried.payload(), retried.failure()));
            return new FailedOutcome.Retried(payload, retried.delay(), retried.failure(), retried.decidedBy());
        }
        if (outcome instanceof FailedOutcome.Dead dead && dead.death() != null) {
            Payload payload = attempt(job, stored, dead.failure()).addTo(masking.stored(dead.death(), dead.failure()));
            return new FailedOutcome.Dead(payload.bytes(), dead.executed(), dead.failure(), payload, dead.decidedBy());
        }
        return outcome;
    }

    private PastAttempt attempt(ClaimedJob job, Payload stored, Throwable failure) {
        Duration ran = Duration.ofNanos(Math.max(0, nanoTime.getAsLong() - job.startedNanos()));
        Instant began = clock.instant().minus(ran);
        Duration waited = waited(stored.time("enqueued_at"), began);
        return new PastAttempt(
                began,
                waited == null ? Duration.ZERO : waited,
                ran,
                job.incarnation().id(),
                failure.getClass().getName(),
                masking.message(stored, failure));
    }

    /** How long a job was in its queue before it began; zero if the clocks disagree; null if unknown or impossible. */
    static @Nullable Duration waited(@Nullable Instant enqueued, Instant began) {
        if (enqueued == null
                || enqueued.isAfter(began.plus(MOST_AHEAD))
                || enqueued.isBefore(began.minus(LONGEST_WAIT))) {
            return null;
        }
        return enqueued.isAfter(began) ? Duration.ZERO : Duration.between(enqueued, began);
    }
}
