package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.JobListener.Ending;
import dev.jobs.Payload;
import dev.jobs.store.Effect;
import dev.jobs.store.Settlement;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The outcome of running a job. */
@Internal
public sealed interface Outcome permits Outcome.Done, FailedOutcome, EarlyOutcome {

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

    /** What those who wait for the job are told besides its ending and its failure; null for nothing. */
    default @Nullable String message() {
        return null;
    }

    /** Whether the job counts as executed. */
    default boolean isExecuted() {
        return true;
    }

    /** What will run again; null if nothing does. */
    default @Nullable Payload again() {
        return null;
    }

    /** After which time it will; null if it goes to its queue, or nothing does. */
    default @Nullable Duration delay() {
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
}
