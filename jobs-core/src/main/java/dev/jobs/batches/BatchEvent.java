package dev.jobs.batches;

/** What happens once in the life of a {@link Batches batch}, and may have a callback. */
public enum BatchEvent {
    /** Each job has ended at least one execution; some may wait for a retry. */
    ATTEMPTED,
    /** Nothing will run any more: each job has ended for good, and so have its children with their callbacks. */
    FINISHED,
    /** Finished, and every job succeeded, except for failures that the batch tolerates. */
    SUCCEEDED,
    /** A job was given up for the first time. */
    DIED
}
