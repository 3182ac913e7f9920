package dev.jobs.batches;

import dev.jobs.InvalidJobException;
import dev.jobs.JobCall;
import dev.jobs.JobStoreException;
import java.util.stream.Stream;

/**
 * A batch that is being filled. Jobs run while others are added; the batch can't finish before {@link #commit}.
 *
 * <p>Jobs are stored in slices: {@link #add} returns before the job is in Redis, {@link #flush} and {@link #commit}
 * don't. A filler that opens the batch again under the same key goes on there, since a job whose index is taken is not
 * stored again. So the same index must always mean the same job.
 *
 * <p>Used by one thread at a time. Several processes may fill one batch if they use different indexes.
 */
public interface OpenBatch extends AutoCloseable {

    /** The id of the batch. */
    String id();

    /**
     * Adds a job with the next index: one more than the highest that this filler has used, 0 for its first job.
     *
     * @throws InvalidJobException if the job can't be stored as given
     * @throws BatchEndedException if the batch was committed by another filler and has ended since
     * @throws JobStoreException if Redis can't be reached or refuses; calling again adds nothing twice
     */
    void add(JobCall job);

    /**
     * Adds a job with an index of your own, such as the number of a row.
     *
     * @param index 0 to 49,999,999; the batch takes a byte for each index up to the highest
     */
    void add(long index, JobCall job);

    /** Adds jobs with the next indexes, in constant memory. Closes the stream. */
    default void addAll(Stream<JobCall> jobs) {
        try (jobs) {
            jobs.forEachOrdered(this::add);
        }
    }

    /** Stores what was added. Returns how many jobs this filler has stored so far; jobs that were there don't count. */
    long flush();

    /** Stores what was added, and declares the batch complete: it finishes when its jobs have ended. */
    void commit();

    /** Stores what was added. The batch stays open unless it was committed: as after an exception, to be continued. */
    @Override
    void close();
}
