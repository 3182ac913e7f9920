package dev.jobs.batches;

import dev.jobs.JobCall;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The content of a new batch. Used within the call that creates the batch, on its thread. Each method returns this
 * object.
 */
public interface BatchBuilder extends BatchOptions {

    /** Adds a job. Its index is the number of jobs that were added before. */
    BatchBuilder add(JobCall job);

    /** Adds jobs, in constant memory. Closes the stream. */
    default BatchBuilder addAll(Stream<JobCall> jobs) {
        try (jobs) {
            jobs.forEachOrdered(this::add);
        }
        return this;
    }

    /** Adds jobs, in constant memory. */
    default BatchBuilder addAll(Iterable<JobCall> jobs) {
        return addAll(StreamSupport.stream(jobs.spliterator(), false));
    }

    /**
     * Creates a batch that this one waits for: it finishes after its children and their callbacks. One call of
     * {@code create} makes at most 500 children and next batches, of all levels together; jobs can add more, with
     * {@link JobBatch#child}.
     *
     * @throws dev.jobs.InvalidJobException if this batch waits for another one; a job of it can add children
     */
    BatchBuilder child(String name, Consumer<BatchBuilder> content);

    /** Creates the batch that opens when this one succeeds. At most one; it may have a next one itself. */
    BatchBuilder then(String name, Consumer<BatchBuilder> content);

    @Override
    BatchBuilder describe(String description);

    @Override
    BatchBuilder tags(String... tags);

    @Override
    BatchBuilder createdBy(String owner);

    @Override
    BatchBuilder tolerateFailures();

    @Override
    BatchBuilder tolerateSkipped();

    @Override
    BatchBuilder keepResults();

    @Override
    BatchBuilder keepFor(Duration time);

    @Override
    default BatchBuilder onAttempted(JobCall callback) {
        return on(BatchEvent.ATTEMPTED, callback);
    }

    @Override
    default BatchBuilder onFinish(JobCall callback) {
        return on(BatchEvent.FINISHED, callback);
    }

    @Override
    default BatchBuilder onSuccess(JobCall callback) {
        return on(BatchEvent.SUCCEEDED, callback);
    }

    @Override
    default BatchBuilder onDeath(JobCall callback) {
        return on(BatchEvent.DIED, callback);
    }

    @Override
    BatchBuilder on(BatchEvent event, JobCall callback);
}
