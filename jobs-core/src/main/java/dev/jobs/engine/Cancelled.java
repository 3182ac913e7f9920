package dev.jobs.engine;

/** What a process knows of cancelled batches and of jobs that were cancelled one by one. */
record Cancelled(CancelledBatches batches, CancelledJobs jobs) {

    Cancelled() {
        this(new CancelledBatches(), new CancelledJobs());
    }
}
