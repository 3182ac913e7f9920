package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.JobListener.Ending;
import dev.jobs.Payload;
import dev.jobs.store.Effect;
import dev.jobs.store.Settlement;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The outcome of a job that isn't done, for a reason that is no failure. */
@Internal
public sealed interface EarlyOutcome extends Outcome {

    /** Stands in a text for the seconds that it took. */
    String TOOK = "{took}";

    /** Stands in a text for what it threw. */
    String THREW = "{threw}";

    /** Stands in a text for the seconds until it comes back. */
    String DELAY = "{delay}";

    /** Stands in a text for the message of what it threw. */
    String REASON = "{reason}";

    /** What the log says after the jid; empty for an outcome that the log knows itself. */
    default String text() {
        return "";
    }

    /** What the job threw; null if it threw nothing. */
    default @Nullable Throwable thrown() {
        return null;
    }

    /** It goes to the back of its queue: since it stopped itself, or has not begun. */
    record Interrupted(Payload payload, boolean isExecuted) implements EarlyOutcome {

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
            implements EarlyOutcome {

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
            @Nullable Throwable thrown) implements EarlyOutcome {

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
}
