package dev.jobs.spring;

import dev.jobs.Payload;
import org.jspecify.annotations.Nullable;

/**
 * A job will not be tried again: its retries are exhausted, or it was killed, discarded, or buried because it
 * kept ending its worker. Published at most once, after Redis has stored the outcome and after the job's
 * {@link JobFinishedEvent}. A listener's failure is logged, reported to every {@link dev.jobs.JobErrorHandler}, and
 * otherwise ignored.
 *
 * @param payload the job as stored in the dead set; with {@code discarded_at} if it was discarded instead
 * @param failure the job's last failure, or null if there is none
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
