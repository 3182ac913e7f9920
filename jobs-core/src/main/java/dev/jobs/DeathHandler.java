package dev.jobs;

import org.jspecify.annotations.Nullable;

/**
 * Hears of every job that will not be tried again: exhausted, killed, discarded, or buried because it kept ending its worker. An
 * exception is logged, reported to every {@link JobErrorHandler}, and ignored.
 *
 * <p>Called after Redis has stored that, so that the job can be found in the dead set, and at most once: a worker that dies in between
 * tells nobody. Called from many threads, mostly the one that ran the job, which runs no other job meanwhile. A worker that stops waits
 * for it until {@code jobs.shutdown-timeout}.
 */
@FunctionalInterface
public interface DeathHandler {

    /**
     * @param payload the job as it went to the dead set; with {@code discarded_at} if it was dropped instead
     * @param failure what the job threw last; null where there is none, as for a job killed by hand
     */
    void died(Payload payload, @Nullable Throwable failure);

    /**
     * Whether it wants to hear of deaths at present; true unless overridden. It isn't called while it does not, and the thread of a job that died
     * waits for Redis only if some handler does. Asked for each job that dies, from many threads, so it has to answer at once. What it throws
     * counts as true.
     */
    default boolean isListening() {
        return true;
    }
}
