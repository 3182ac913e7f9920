package dev.jobs.engine;

import dev.jobs.JobListener.Ending;
import dev.jobs.Payload;
import dev.jobs.store.Settlement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The outcome of a job that failed: it threw something, or can't be run. */
sealed interface FailedOutcome extends Outcome {

    @Override
    Throwable failure();

    /** Who decided so, for people; null if nobody says. */
    default @Nullable String decidedBy() {
        return null;
    }

    /** It failed and will be tried again after a delay. */
    record Retried(
            Payload payload,
            Duration delay,
            Throwable failure,
            @Nullable String decidedBy) implements FailedOutcome {

        @Override
        public Ending ending() {
            return Ending.RETRIED;
        }

        @Override
        public Settlement settlement(ClaimedJob job) {
            return Settlement.retried(job.token(), delay, payload.bytes());
        }

        @Override
        public Payload again() {
            return payload;
        }
    }

    /**
     * It is given up and kept in the dead set.
     *
     * @param stored what to keep
     * @param executed false for what was no job at all
     */
    record Dead(
            byte[] stored,
            boolean executed,
            Throwable failure,
            @Nullable Payload death,
            @Nullable String decidedBy) implements FailedOutcome {

        @Override
        public Ending ending() {
            return Ending.DEAD;
        }

        @Override
        public Settlement settlement(ClaimedJob job) {
            return Settlement.dead(job.token(), stored, executed);
        }

        @Override
        public boolean isGivenUp() {
            return true;
        }
    }

    /** It ended with a business failure and is kept nowhere. */
    record Failed(Throwable failure) implements FailedOutcome {

        @Override
        public Ending ending() {
            return Ending.FAILED;
        }

        @Override
        public Settlement settlement(ClaimedJob job) {
            return Settlement.failed(job.token());
        }

        @Override
        public boolean isGivenUp() {
            return true;
        }
    }

    /** It is given up and kept nowhere. */
    record Discarded(
            Payload death, Throwable failure, @Nullable String decidedBy) implements FailedOutcome {

        @Override
        public Ending ending() {
            return Ending.DISCARDED;
        }

        @Override
        public Settlement settlement(ClaimedJob job) {
            return Settlement.discarded(job.token());
        }

        @Override
        public boolean isGivenUp() {
            return true;
        }
    }

    /** It was taken away while it ran, so its end has no effect: the worker stops, or the job runs elsewhere. */
    record TakenAway(Throwable failure) implements FailedOutcome {

        @Override
        public Ending ending() {
            return Ending.LOST;
        }

        @Override
        public Settlement settlement(ClaimedJob job) {
            return Settlement.handedBack(job.token(), job.queue(), true); // if it is still ours, nothing is known of it
        }
    }
}
