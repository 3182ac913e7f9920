package dev.jobs;

import org.jspecify.annotations.Nullable;

/**
 * Hears of every job that will not be tried again: exhausted, killed, discarded, or buried because it kept ending its worker. An
 * exception is reported and ignored. Called from many threads.
 */
@FunctionalInterface
public interface DeathHandler {

    /**
     * @param payload the job as it went to the dead set; with {@code discarded_at} if it was dropped instead
     * @param failure what the job threw last; null where there is none, as for a job killed by hand
     */
    void died(Payload payload, @Nullable Throwable failure);
}
