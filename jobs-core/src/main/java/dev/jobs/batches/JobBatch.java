package dev.jobs.batches;

import dev.jobs.JobCall;
import dev.jobs.JobContext;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A batch as seen by a running job: the one that the job belongs to, or for a callback the one that it reports on.
 * Thread-safe; valid while the job runs.
 */
public interface JobBatch {

    /** The batch that a job belongs to, or that it reports on as a callback; empty for other jobs. */
    static Optional<JobBatch> of(JobContext job) {
        return job.feature(JobBatch.class);
    }

    /** The id of the batch. */
    String id();

    /** The batch at this moment. */
    BatchStatus status();

    /**
     * Adds a job to the batch. Stored when the call returns. An execution that fails later doesn't remove it, and the
     * next execution adds another one.
     *
     * @return the jid, or null if a middleware kept the job from being stored
     * @throws BatchEndedException if the batch has ended, as for its callbacks
     */
    @Nullable String add(JobCall job);

    /** Adds jobs to the batch, in slices. Closes the stream. Returns how many were stored. */
    long addAll(Stream<JobCall> jobs);

    /**
     * Creates a batch that this one waits for: it finishes after its children and their callbacks.
     *
     * @return the id of the child
     */
    String child(String name, Consumer<BatchBuilder> content);

    /** A page of the batch's jobs; see {@link Batches#jobs}. */
    BatchPage jobs(Set<BatchJobState> states, long after, int size);

    /**
     * The jobs whose results the batch keeps, in their order. Reads them in pages.
     *
     * @throws IllegalStateException if the batch keeps none; see {@link BatchOptions#keepResults}
     */
    Stream<BatchJob> results();

    /** Whether the batch is cancelled; asks Redis. */
    boolean isCancelled();
}
