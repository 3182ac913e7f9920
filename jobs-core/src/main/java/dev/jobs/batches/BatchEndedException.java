package dev.jobs.batches;

import dev.jobs.JobsException;

/** Thrown if jobs or children are added to a batch that has ended, or that no longer exists. Nothing was added. */
public class BatchEndedException extends JobsException {

    private static final long serialVersionUID = 1L;

    public BatchEndedException(String message) {
        super(message);
    }
}
