package dev.jobs.client;

import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.JobDefinition;
import dev.jobs.JobHooks;
import dev.jobs.JobRule;
import dev.jobs.Payload;
import dev.jobs.store.PushAnswers;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What one feature writes into the payloads of new jobs, and checks before they are stored. */
@Internal
public interface PayloadRule extends JobRule {

    /**
     * Adds members to those of a new job, unless the caller has.
     *
     * @param job null if this application doesn't know it
     * @throws InvalidJobException if the job can't have them; says why
     */
    default void write(Map<String, @Nullable Object> members, @Nullable JobDefinition job, Options options) {}

    /**
     * Checks the members of a job that is to be stored, with {@link PayloadRules#require}.
     *
     * @throws InvalidJobException if one can't be stored
     */
    default void check(Payload payload) {}

    /**
     * When a job is due that is stored only after the time that its call gave it, in epoch seconds.
     *
     * @param now in epoch seconds
     */
    default double late(Payload payload, double now) {
        return now;
    }

    /** What becomes of the jobs of one client that the checks of this feature refuse; null if it has none. */
    default @Nullable Refusals refusals(Clock clock) {
        return null;
    }

    /** Tells of jobs that were not stored, since checks of a feature refused them. For one client. Thread-safe. */
    interface Refusals {

        /** Tells of those of a push. */
        void tell(List<ReadyJob> jobs, PushAnswers answers, JobHooks hooks);

        /**
         * The only job of a call was refused. What this throws, the call throws.
         *
         * @param draft the job before middleware
         * @param known its definition; null if this application doesn't know it
         */
        void failCall(Payload draft, ReadyJob job, PushAnswers answers, @Nullable JobDefinition known);

        /** The client ends. */
        void close();
    }
}
