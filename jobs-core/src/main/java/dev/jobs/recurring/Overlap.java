package dev.jobs.recurring;

/**
 * What becomes of a slot while the job of an earlier one has not ended: it waits, runs, or failed and waits for its retry.
 * Except with {@link #ALLOW} the job has the lock of its recurring job, as a unique job has one: for a day at most, after
 * which it counts as ended.
 *
 * <p>Ruby knows nothing of that lock. Use {@link #SKIP} and {@link #QUEUE} only for jobs that Java performs: after one
 * that Ruby performed, the recurring job fires nothing until its lock is over.
 */
public enum Overlap {

    /** Its job is enqueued all the same, and may run beside the other. */
    ALLOW,

    /** It passes without a job. Can't be combined with {@link Missed#ALL}. */
    SKIP,

    /**
     * It is fired when the other has ended, within seconds. What becomes of several of them {@link Missed} says: with
     * {@link Missed#ALL} they are fired one after the other, else only the last one is. {@link Missed#WITHIN_GRACE} means
     * {@link Missed#ONCE} here, and {@link Missed#SKIP} is refused.
     */
    QUEUE,

    /**
     * The other is cancelled and its job is enqueued, in one step. If the other runs, it may take a while to end, and isn't waited
     * for. Can't be combined with {@link Missed#ALL}.
     */
    CANCEL
}
