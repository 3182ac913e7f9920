package dev.jobs.batches;

import dev.jobs.JobCall;
import dev.jobs.JobFailedException;
import java.time.Duration;

/** How a batch behaves. Each method returns this object. */
public interface BatchOptions {

    /** A text for people; at most 1,000 characters. */
    BatchOptions describe(String description);

    /** Labels shown with the batch; at most 20, each at most 100 characters. */
    BatchOptions tags(String... tags);

    /** Who owns the batch, such as the name of a user; at most 200 characters. */
    BatchOptions createdBy(String owner);

    /** Jobs that end with a {@link JobFailedException} don't keep the batch from succeeding. */
    BatchOptions tolerateFailures();

    /** Jobs that were deleted or refused don't keep the batch from succeeding. */
    BatchOptions tolerateSkipped();

    /** Keeps what the jobs' methods return, as JSON of at most 64 KiB each, as long as the batch. */
    BatchOptions keepResults();

    /** How long the batch is kept after its end, instead of the application's default; at least a minute. */
    BatchOptions keepFor(Duration time);

    /** The job to enqueue once each job of the batch has ended an execution. */
    BatchOptions onAttempted(JobCall callback);

    /** The job to enqueue once nothing will run any more. */
    BatchOptions onFinish(JobCall callback);

    /** The job to enqueue once the batch has succeeded. */
    BatchOptions onSuccess(JobCall callback);

    /** The job to enqueue when a job is given up for the first time. */
    BatchOptions onDeath(JobCall callback);

    /** The callback of an event. */
    BatchOptions on(BatchEvent event, JobCall callback);
}
