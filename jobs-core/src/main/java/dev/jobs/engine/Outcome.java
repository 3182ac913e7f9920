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
public sealed interface Outcome {

    String TOOK = "{took}";
    String THREW = "{threw}";
    String DELAY = "{delay}";
    String REASON = "{reason}";

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

    /** What the job threw, though it is no failure; null if it threw nothing. */
    default @Nullable Throwable thrown() {
        return null;
    }

    /** What those who wait for the job are told besides its ending and its failure; null for nothing. */
    default @Nullable String message() {
        return null;
    }

    /** What the log says after the jid; empty for an outcome that the log knows itself. */
    default String text() {
        return "";
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

    /** It goes to the back of its queue: since it stopped itself, or has not begun. */
    record Interrupted(Payload payload, boolean isExecuted) implements Outcome {

        @Override
        public Ending ending() {
            return Ending.INTERRUPTED;
        }

        @Override
        public Settlement settlement(ClaimedJob job) {
            return isExecuted
                    ? Settlement.interrupted(job.token(), job.queue(), payload.bytes())
                    : Settlement.notBegun(job.token(), job.queue(), payload.bytes());
        }

        @Override
        public Payload again() {
            return payload;
        }
    }

    /**
     * It was not run, or gave up, for a reason that is no failure, and is kept nowhere.
     *
     * @param text what the log says after the jid; {@value #TOOK} stands for the seconds that it took, {@value #THREW}
     *     for what it threw
     * @param message what those who wait for it are told; null for nothing but the ending
     * @param thrown what it threw; null if it threw nothing
     * @param isExecuted whether it counts as executed
     * @param effects what else happens in the same step
     */
    record Ended(
            Ending ending,
            String text,
            @Nullable String message,
            @Nullable Throwable thrown,
            boolean isExecuted,
            List<Effect> effects)
            implements Outcome {

        /** It was not run. */
        public static Ended notRun(Ending ending, String text, @Nullable String message) {
            return new Ended(ending, text, message, null, false, List.of());
        }

        @Override
        public Settlement settlement(ClaimedJob job) {
            return Settlement.skipped(job.token()).with(effects);
        }
    }

    /**
     * It waits in the scheduled set, for a reason that is no failure.
     *
     * @param text what the log says after the jid; {@value #TOOK} stands for the seconds that it took, {@value #DELAY}
     *     for those until it comes back, {@value #REASON} for the message of what it threw
     * @param thrown what said so; null if it was not run
     */
    record Later(
            Ending ending,
            String text,
            Payload payload,
            Duration delay,
            @Nullable Throwable thrown) implements Outcome {

        @Override
        public Settlement settlement(ClaimedJob job) {
            return isExecuted()
                    ? Settlement.overLimit(job.token(), delay, payload.bytes())
                    : Settlement.postponed(job.token(), delay, payload.bytes());
        }

        @Override
        public boolean isExecuted() {
            return thrown != null;
        }

        @Override
        public Payload again() {
            return payload;
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
