package dev.jobs.unique;

import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Lets only one of a job's calls with the same key be pending: stands beside {@link Job}. While the job of the first
 * call holds the lock, a further call is a duplicate, which is not stored.
 *
 * <pre>{@code
 * @Job("Shops.sync")
 * @Unique(key = "{shop}", forAtMost = "1h")
 * void sync(long shop, String reason) {
 *     // compare the shop with its supplier
 * }
 * }</pre>
 *
 * <p>The lock is taken in the step that stores the job, and released in the step that ends it, so a crash of the client
 * or of a worker leaves no lock without a job, and no job without its lock. The lock belongs to the job's jid and is
 * kept while the job waits for a retry, or is recovered from a worker that died.
 *
 * <p>A unique job can be enqueued alone, in bulk and in a transaction without an outbox. Batches, recurring jobs and
 * the outbox refuse it with an {@link InvalidJobException}, since they store jobs without asking for locks. A method
 * that has a {@link Job#cron} as well is refused at start.
 *
 * <p>Uniqueness saves work; it is no mutual exclusion. A worker that froze may still run a job that was given up, and a
 * lock ends after {@link #forAtMost}.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Unique {

    /** When a job's lock is released. Before that, only {@link #forAtMost} ends it. */
    enum Until {
        /**
         * When the job has ended, for whatever reason: done, failed for good, discarded, skipped, deleted, or in the
         * dead set.
         */
        SUCCESS,

        /** Before the method is called for the first time: a job that is enqueued while this one runs is stored. */
        START,

        /** Never: the lock lasts its whole time, even if the job ended long before. Limits how often a job runs. */
        EXPIRY
    }

    /** What a call does that would store a duplicate. */
    enum OnConflict {
        /** It returns null, and a line of the log names the job that holds the lock. */
        SKIP,

        /**
         * A call for a single job throws a {@link DuplicateJobException}; otherwise like {@link #SKIP}. A call in a
         * transaction skips, since the lock is taken after the commit.
         */
        ERROR,

        /**
         * Its job replaces the one that holds the lock, unless a worker has begun that one: then it is like
         * {@link #ERROR}. A replaced job is not run. Not with {@link Until#EXPIRY}. With {@link Until#START} a job that
         * has begun holds no lock, so that one runs and the newest one waits.
         */
        REPLACE,

        /**
         * Its job goes to the dead set, where people can see and enqueue it, with a message that names the holder. The
         * call returns null.
         */
        REJECT,

        /**
         * Its job waits in the scheduled set until the lock ends and holds the lock from then on, as long again. One
         * job at most waits so: that of a later call takes its place. Only with {@link Until#EXPIRY}.
         */
        LATER
    }

    /**
     * The key, as a template: {@code {0}} stands for the first argument, <code>{shop}</code> for that of the parameter
     * with this name, {@code {0.id}} for a member of an argument, as JSON has it. Text stands for itself, and an
     * argument or a member that is missing for {@code null}. Different arguments have different keys: a text is quoted
     * if it could be taken for something else. A set has the same key in any order. Empty, the default, means all
     * arguments. Jobs with different wire names never have the same lock; the queue doesn't matter.
     */
    String key() default "";

    /** When the lock is released. */
    Until until() default Until.SUCCESS;

    /**
     * How long the lock lasts at most, from each time the job is stored or moves; for a scheduled job from its due
     * time. Numbers with {@code h}, {@code m}, {@code s} and {@code ms}, or one with {@code d}, such as {@code 90s}, {@code 1h30m}
     * or {@code 2d}, up to 11,574 days. Should be longer than the job waits in its queue and runs, together.
     */
    String forAtMost() default "24h";

    /** What a call does that would store a duplicate. */
    OnConflict onConflict() default OnConflict.SKIP;
}
