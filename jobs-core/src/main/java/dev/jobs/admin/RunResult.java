package dev.jobs.admin;

/** The result of {@link SetsAdmin#runNow}. */
public enum RunResult {
    /** The job is in its queue. */
    ENQUEUED,
    /** The job was no longer in the set. */
    GONE,
    /** An {@link dev.jobs.EnqueueMiddleware} vetoed it: the job stays in the set. */
    VETOED
}
