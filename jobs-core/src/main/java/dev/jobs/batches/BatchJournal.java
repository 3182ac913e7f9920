package dev.jobs.batches;

import dev.jobs.Internal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records batches outside Redis, and their jobs before Redis has them, so every job that Redis has is recorded.
 * Called by the threads that fill batches. Thread-safe. What it throws ends the call that fills the batch, and
 * nothing of the slice is stored.
 *
 * <p>A batch that is created with a journal stays in Redis for 30 days after its end, or for the usual time if {@link
 * dev.jobs.batches.BatchArchiving#archived} was called.
 */
@Internal
public interface BatchJournal {

    /**
     * A job of a batch.
     *
     * @param jid its id, which contains the batch and the index
     * @param payload as it will be stored; null if a middleware refused it
     */
    record Entry(String jid, long index, byte @Nullable [] payload) {}

    /**
     * A batch exists in Redis, without jobs as yet. May be repeated.
     *
     * @param inTransaction whether the batch is removed if the calling thread's transaction is rolled back; otherwise
     *     the record must not depend on that transaction
     */
    void begun(String batch, String name, boolean inTransaction);

    /**
     * Jobs are about to be stored. May be repeated; of several jobs with the same index the first one counts.
     *
     * @param jobs at least one
     * @param inTransaction as for {@link #begun}
     */
    void adding(String batch, List<Entry> jobs, boolean inTransaction);
}
