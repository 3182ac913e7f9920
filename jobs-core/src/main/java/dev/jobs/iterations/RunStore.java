package dev.jobs.iterations;

import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.store.Effect;
import java.time.Instant;
import java.util.List;

/** What a run of a job keeps in Redis beside the job: the progress of its iteration, its lock, what ends it. */
@FunctionalInterface
@Internal
public interface RunStore {

    /** Whether something that this process remembers is so. */
    enum Known {
        NO,
        YES,
        /** Redis can't be asked now. In doubt a job runs or waits, and never ends. */
        UNKNOWN;

        static Known of(boolean known) {
            return known ? YES : NO;
        }
    }

    /** Works through an iteration that a job's method returned, and keeps its progress. */
    void iterate(Iteration<?> iteration, ClaimedJob job) throws Exception;

    /** A job that has a lock is about to begin. Returns false if a later one has replaced it. */
    default boolean begins(Payload payload) {
        return true;
    }

    /** A job that expires is about to begin. Returns false if it has expired, at the latest now by this clock. */
    default boolean beginsInTime(ClaimedJob job, Instant expiry, Instant now) {
        return !now.isAfter(expiry);
    }

    /** Whether a job is cancelled itself, asked before it ends for that. */
    default Known isCancelled(ClaimedJob job) {
        return Known.of(job.isCancelledItself());
    }

    /** Whether the batch of a job is cancelled, asked before the job begins, and before it ends for that. */
    default Known isBatchCancelled(ClaimedJob job) {
        return Known.of(job.isBatchCancelled());
    }

    /** The effects of the settlement of an iterable job that is done. */
    default List<Effect> whenDone(ClaimedJob job) {
        return List.of();
    }

    /** The effects of the last settlement of a cancelled job. */
    default List<Effect> whenCancelled(ClaimedJob job) {
        return List.of();
    }
}
