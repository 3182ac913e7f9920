package dev.jobs.ends;

import dev.jobs.Internal;
import dev.jobs.batches.CancelledBatches;

/** What a process knows of cancelled batches and of jobs that were cancelled one by one. */
@Internal
public record Cancelled(CancelledBatches batches, CancelledJobs jobs) {

    public Cancelled() {
        this(new CancelledBatches(), new CancelledJobs());
    }
}
