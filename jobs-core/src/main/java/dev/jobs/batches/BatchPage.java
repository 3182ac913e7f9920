package dev.jobs.batches;

import java.util.List;

/**
 * Jobs of a batch in the order of their indexes.
 *
 * @param next what to pass as {@code after} for the following page; -1 if there is none
 */
public record BatchPage(List<BatchJob> jobs, long next) {

    public BatchPage {
        jobs = List.copyOf(jobs);
    }

    /** Whether more jobs may follow. */
    public boolean hasMore() {
        return next >= 0;
    }
}
