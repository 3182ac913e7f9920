package dev.jobs.admin;

/** From which end a queue is read. */
public enum Order {
    /** First the job that came last. */
    NEWEST_FIRST,
    /** First the job that is taken next. */
    OLDEST_FIRST
}
