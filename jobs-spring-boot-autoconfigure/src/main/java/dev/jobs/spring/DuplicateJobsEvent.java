package dev.jobs.spring;

/**
 * Calls of this application were refused because other jobs hold the locks of their keys: their jobs are not stored, or
 * went to the dead set. See {@link dev.jobs.unique.Unique}.
 *
 * <p>Published on the thread that enqueued the jobs, or that stored them after a commit. A listener's failure is logged
 * and otherwise ignored. If no listener wants the event, none is published.
 *
 * @param name the wire name of the jobs
 * @param queue the queue of the jobs
 * @param count how many, at least 1; more than one only of a bulk call or a transaction
 * @param holder the jid of the job that holds the lock of the first of them
 */
public record DuplicateJobsEvent(String name, String queue, int count, String holder) {}
