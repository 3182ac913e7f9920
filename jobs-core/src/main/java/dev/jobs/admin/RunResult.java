package dev.jobs.admin;

/** What became of a job that was to run at once. */
public enum RunResult {
    /** It is in its queue. */
    ENQUEUED,
    /** It was in the set no more: somebody else was quicker. */
    GONE,
    /** An {@link dev.jobs.EnqueueMiddleware} kept it from being enqueued: it stays in the set. */
    VETOED
}
