package dev.jobs;

import org.jspecify.annotations.Nullable;

/**
 * Called for every job that will not be retried: exhausted, killed, discarded, or buried because it kept ending its
 * worker. An exception is logged, reported to every {@link JobErrorHandler}, and ignored.
 *
 * <p>Called after Redis has stored the death, so that the job can be found in the dead set, and at most once: if the
 * worker dies in between, no handler is called. Called by many threads, mostly by the one that ran the job, which runs
 * no other job until the handler returns. A stopping worker waits for it until {@code jobs.shutdown-timeout}.
 *
 * <p>Neither the payload nor the failure, whose message may quote an argument, is masked as {@link Masked} asks for:
 * {@link ArgumentMasking}, which is a bean, masks both for logs.
 */
@FunctionalInterface
public interface DeathHandler {

    /**
     * @param payload the job as stored in the dead set; with {@code discarded_at} if it was discarded instead
     * @param failure what the job threw last; null if it threw nothing, as for a job killed by hand
     */
    void died(Payload payload, @Nullable Throwable failure);

    /**
     * Whether {@link #died} is to be called at present; true unless overridden. The thread of a job that died waits for
     * Redis only if some handler is listening. Called for each job that dies, by many threads, so it must return at
     * once. An exception counts as true.
     */
    default boolean isListening() {
        return true;
    }
}
