package dev.jobs.spring;

import dev.jobs.Payload;
import org.jspecify.annotations.Nullable;

/**
 * A job will not be tried again: exhausted, killed, dropped by rule, or buried because it kept ending its worker. Published once Redis has
 * stored that, after the {@link JobFinishedEvent} of the job, and at most once. A listener that fails is logged, reported to every {@link
 * dev.jobs.JobErrorHandler}, and ignored.
 *
 * @param payload the job as it went to the dead set; with {@code discarded_at} if it was dropped instead
 * @param failure what the job threw last, or null where there is none
 */
public record JobDiedEvent(Payload payload, @Nullable Throwable failure) {

    /** The job's id. */
    public @Nullable String jid() {
        return payload.jid();
    }

    /** The job's wire name. */
    public @Nullable String name() {
        return payload.name();
    }
}
