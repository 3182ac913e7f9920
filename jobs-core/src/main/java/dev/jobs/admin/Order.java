package dev.jobs.admin;

/** The end from which a queue is read. */
public enum Order {
    /** Begins with the job that was enqueued last. */
    NEWEST_FIRST,
    /** Begins with the job that is taken next. */
    OLDEST_FIRST
}
