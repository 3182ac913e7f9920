package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.JobListener.Ending;
import dev.jobs.Payload;
import dev.jobs.store.Effect;
import dev.jobs.store.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The outcome of running a job. */
@Internal
public sealed interface Outcome {

    /** How listeners and those who wait for the job see it. */
    Ending ending();

    /** What Redis is told of the job, without what others add to it. */
    Settlement settlement(ClaimedJob job);

    /** Whether the job is given up: nobody will run it again by itself. */
    default boolean isGivenUp() {
        return false;
    }

    /** The error that the job threw, or null. */
    default @Nullable Throwable failure() {
        return null;
    }

    /** The payload for death handlers once the death is settled; null if the job didn't die. */
    default @Nullable Payload death() {
        return null;
    }

    /**
     * It is done.
     *
     * @param effects what else happens in the same step
     */
    record Done(List<Effect> effects) implements Outcome {

        @Override
        public Ending ending() {
            return Ending.DONE;
        }

        @Override
        public Settlement settlement(ClaimedJob job) {
            return effects.isEmpty()
                    ? Settlement.done(job.token())
                    : Settlement.done(job.token()).with(effects);
        }
    }

    /** It failed and will be tried again after a delay. */
    record Retried(Payload payload, Duration delay, Throwable failure) implements Outcome {

        @Override
        public Ending ending() {
            return Ending.RETRIED;
        }

        @Override
        public Settlement settlement(ClaimedJob job) {
            return Settlement.retried(job.token(), delay, payload.bytes());
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
            @Nullable Payload death) implements Outcome {

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
    record Failed(Throwable failure) implements Outcome {

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

    /** It was not run, or gave up, because its batch is cancelled. */
    record Skipped() implements Outcome {

        @Override
        public Ending ending() {
            return Ending.SKIPPED;
        }

        @Override
        public Settlement settlement(ClaimedJob job) {
            return Settlement.skipped(job.token());
        }
    }

    /** It was not run, because it had expired. */
    record Expired(Instant at) implements Outcome {

        @Override
        public Ending ending() {
            return Ending.EXPIRED;
        }

        @Override
        public Settlement settlement(ClaimedJob job) {
            return Settlement.skipped(job.token());
        }
    }

    /** It was not run, because a later job with the key of its lock had taken its place. */
    record Replaced() implements Outcome {

        @Override
        public Ending ending() {
            return Ending.REPLACED;
        }

        @Override
        public Settlement settlement(ClaimedJob job) {
            return Settlement.skipped(job.token());
        }
    }

    /**
     * It was not run, or gave up, because it was cancelled.
     *
     * @param thrown what it threw, which is no failure; null if it was not run
     * @param effects what else happens in the same step
     */
    record Cancelled(@Nullable Throwable thrown, List<Effect> effects) implements Outcome {

        @Override
        public Ending ending() {
            return Ending.CANCELLED;
        }

        @Override
        public Settlement settlement(ClaimedJob job) {
            return Settlement.skipped(job.token()).with(effects);
        }
    }

    /** It is given up and kept nowhere. */
    record Discarded(Payload death, Throwable failure) implements Outcome {

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

    /** It stopped itself and goes to the back of its queue. */
    record Interrupted(Payload payload) implements Outcome {

        @Override
        public Ending ending() {
            return Ending.INTERRUPTED;
        }

        @Override
        public Settlement settlement(ClaimedJob job) {
            return Settlement.interrupted(job.token(), job.queue(), payload.bytes());
        }
    }

    /** It can't run in this version of the application, and waits in the scheduled set for a worker of another. */
    record Postponed(Payload payload, Duration delay) implements Outcome {

        @Override
        public Ending ending() {
            return Ending.POSTPONED;
        }

        @Override
        public Settlement settlement(ClaimedJob job) {
            return Settlement.postponed(job.token(), delay, payload.bytes());
        }
    }

    /**
     * It has used up what a limiter allows, and waits in the scheduled set until there is room.
     *
     * @param thrown what said so, which is no failure
     */
    record OverLimit(Payload payload, Duration delay, Throwable thrown) implements Outcome {

        @Override
        public Ending ending() {
            return Ending.OVER_LIMIT;
        }

        @Override
        public Settlement settlement(ClaimedJob job) {
            return Settlement.overLimit(job.token(), delay, payload.bytes());
        }
    }

    /** It was taken away while it ran, so its end has no effect: the worker stops, or the job runs elsewhere. */
    record TakenAway(Throwable failure) implements Outcome {

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
