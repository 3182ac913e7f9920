package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobListener.Ending;
import dev.jobs.engine.JobRoutes.Route;
import dev.jobs.store.Effect;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a feature adds to the run of a job. It implements the moments that it needs, so that the others cost nothing, and
 * looks first for what makes it care for the job, since it cares for few. What it knows of one job it {@linkplain
 * ClaimedJob#attach attaches} to it. Parts are thread-safe, and called on the thread that runs the job unless a moment
 * says otherwise.
 *
 * <p>The assembly has one list of them. Until the application's code runs they are called in its order, and after that
 * in reverse: who was the last to let the job in is the first to say what became of it.
 */
@Internal
public interface JobPart {

    /** A job's payload was read. It may not be one that can be run. */
    interface Reads extends JobPart {

        void read(ClaimedJob job);
    }

    /** Attached to a job to which Redis gave no permits, since it is not to be run. */
    record Refusal(Ending why) {}

    /** Attached to a job that gets further with each execution, and did with this one. */
    record Advance() {}

    /** A job was refused so. */
    interface Refuses extends JobPart {

        /** The outcome; null if the reason is another part's. */
        @Nullable Outcome refused(ClaimedJob job, Ending why);
    }

    /** A job is about to begin. Its arguments are not read yet. */
    interface Begins extends JobPart {

        /**
         * The outcome of a job that does not begin; null if it does.
         *
         * @param definition null if no job of that name is known here
         */
        @Nullable Outcome before(ClaimedJob job, @Nullable JobDefinition definition);
    }

    /** This version of the application can't run a job. */
    interface Unknown extends JobPart {

        /** How it waits for another one; null if it fails. */
        @Nullable Outcome unknown(ClaimedJob job, Route route, Throwable failure);
    }

    /** The application's code is about to run, with its middleware. */
    interface Around extends JobPart {

        /** The outcome instead; null if it runs. */
        @Nullable Outcome enter(ClaimedJob job, JobDefinition definition);

        /** It has run, or a later part kept it from that. Called whenever {@link #enter} was, whatever that did. */
        default void leave(ClaimedJob job) {}

        /** The outcome is known as well. Called as {@link #leave} is. */
        default void decided(ClaimedJob job) {}
    }

    /** The thread of a job was left behind, and is done with it after all. Nobody waits for it. */
    interface LeftBehind extends JobPart {

        void over(ClaimedJob job);
    }

    /** The job's method returned something. */
    interface Returns extends JobPart {

        /** Whether it was for this part alone. */
        boolean returned(ClaimedJob job, JobDefinition definition, @Nullable Object value) throws Exception;
    }

    /** A job is done. */
    interface Succeeds extends JobPart {

        /** What else happens in the same step. */
        List<Effect> done(ClaimedJob job, JobDefinition definition);
    }

    /** A job threw something, or its thread was left behind. */
    interface Throws extends JobPart {

        /**
         * The outcome; null if what it threw means nothing to this part.
         *
         * @param fails makes it fail in another way than with what it threw
         */
        @Nullable Outcome thrown(ClaimedJob job, Throwable thrown, Fails fails);
    }

    /** Makes a job fail. */
    @FunctionalInterface
    interface Fails {

        /**
         * @param how for the error's report: what the job did
         * @param retry the job's own retry option, for a payload that has none
         * @param mayRetry whether it may be retried at all
         */
        Outcome with(Throwable failure, String how, Object retry, boolean mayRetry);
    }

    /** A job is to run again, since it failed, stopped itself or has to wait. */
    interface Repeats extends JobPart {

        /** The outcome of a job that ends instead; null if it runs again. */
        @Nullable Outcome insteadOfAgain(ClaimedJob job);
    }

    /** An execution was counted. */
    interface Counts extends JobPart {

        /** For an execution whose job doesn't say when it was enqueued, or says what can't be. */
        long UNKNOWN = -1;

        /** @param waitedMillis how long the job had been in its queue, or {@link #UNKNOWN} */
        void executed(ClaimedJob job, boolean failed, long nanos, long waitedMillis);
    }

    /** The application's code asks or tells something, on any thread. */
    interface Context extends JobPart {

        /** Whether the job should end. */
        default boolean isCancelled(ClaimedJob job) {
            return false;
        }

        /** How long it may still take; null if this part doesn't limit that. */
        default @Nullable Duration remaining(ClaimedJob job) {
            return null;
        }

        default void message(ClaimedJob job, String message) {}

        default void progress(ClaimedJob job, long done, long total) {}

        default void log(ClaimedJob job, String text) {}

        /** What the job belongs to, of that type; null if this part knows none. */
        default <T> @Nullable T feature(ClaimedJob job, Class<T> type) {
            return null;
        }
    }
}
