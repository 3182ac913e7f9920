package dev.jobs.engine;

import dev.jobs.JobListener.Ending;
import dev.jobs.Payload;
import dev.jobs.redis.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The outcome of running a job. */
sealed interface Outcome {

    /** How listeners and those who wait for the job see it. */
    Ending ending();

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
    }

    /** It failed and will be tried again after a delay. */
    record Retried(Payload payload, Duration delay, Throwable failure) implements Outcome {

        @Override
        public Ending ending() {
            return Ending.RETRIED;
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
    }

    /** It ended with a business failure and is kept nowhere. */
    record Failed(Throwable failure) implements Outcome {

        @Override
        public Ending ending() {
            return Ending.FAILED;
        }
    }

    /** It was not run, or gave up, because its batch is cancelled. */
    record Skipped() implements Outcome {

        @Override
        public Ending ending() {
            return Ending.SKIPPED;
        }
    }

    /** It was not run, because it had expired. */
    record Expired(Instant at) implements Outcome {

        @Override
        public Ending ending() {
            return Ending.EXPIRED;
        }
    }

    /** It was not run, because a later job with the key of its lock had taken its place. */
    record Replaced() implements Outcome {

        @Override
        public Ending ending() {
            return Ending.REPLACED;
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
    }

    /** It is given up and kept nowhere. */
    record Discarded(Payload death, Throwable failure) implements Outcome {

        @Override
        public Ending ending() {
            return Ending.DISCARDED;
        }
    }

    /** It stopped itself and goes to the back of its queue. */
    record Interrupted(Payload payload) implements Outcome {

        @Override
        public Ending ending() {
            return Ending.INTERRUPTED;
        }
    }

    /** It can't run in this version of the application, and waits in the scheduled set for a worker of another. */
    record Postponed(Payload payload, Duration delay) implements Outcome {

        @Override
        public Ending ending() {
            return Ending.POSTPONED;
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
    }

    /** It was taken away while it ran, so its end has no effect: the worker stops, or the job runs elsewhere. */
    record TakenAway(Throwable failure) implements Outcome {

        @Override
        public Ending ending() {
            return Ending.LOST;
        }
    }
}
