package dev.jobs;

import dev.jobs.ends.JobTimeoutException;
import dev.jobs.iterations.Iteration;
import dev.jobs.limits.Limit;
import dev.jobs.recurring.CronSchedule;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.unique.Unique;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method as a job: a worker runs the method when it takes a payload with the job's name from a queue.
 *
 * <pre>{@code
 * @Component
 * class Emails {
 *
 *     @Job(value = "Emails.welcome", queue = "mail", retry = 8)
 *     void welcome(String to, int visits) {
 *         // send the mail
 *     }
 * }
 * }</pre>
 *
 * <p>The method's parameters are the job's arguments, bound by position from JSON. A last parameter of type {@link
 * JobContext} is injected and is not an argument. An argument that a waiting job doesn't have is an error unless its
 * parameter declares a value for that: {@link JobParam}, an {@link java.util.Optional}, or {@code @Nullable}. An
 * exception is a failure, and the job is retried by policy. The return value is ignored unless it is an {@link
 * Iteration}: such a job works through many elements, and can stop and resume between any two of them. A job may run
 * more than once (a worker may die between the work and its acknowledgement), so it should be safe to repeat. Jobs run
 * on many threads at once.
 *
 * <p>The annotation can also be placed on an annotation of your own, which then marks methods in its place; Spring
 * finds these. Spring also resolves placeholders such as {@code ${reports.cron}} in all texts of this annotation, of
 * {@link JobParam}, and of annotations beside it, such as {@link Limit} and {@link Unique}.
 *
 * <p>A method or an option that can't work is reported at start as a {@link JobDefinitionException}.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Job {

    /** For {@link #retry()}: the application's default ({@code jobs.retry.max-attempts}, 25). */
    int DEFAULT = Integer.MAX_VALUE;

    /** For {@link #retry()}: a failed job is discarded; it is neither retried nor kept in the dead set. */
    int NONE = -1;

    /**
     * The wire name: the name stored in Redis, by which other applications, Ruby included, enqueue the job. 1 to 200
     * characters, without control characters and {@code |}. Defaults to the simple class name, a dot and the method
     * name, as in {@code Emails.welcome}; set it explicitly so that a rename can't strand waiting jobs.
     */
    String value() default "";

    /** Former wire names: jobs stored under them still run here. If arguments changed, use a {@link JobUpcaster}. */
    String[] aliases() default {};

    /**
     * How many arguments after those of the parameters are ignored, 0 to 100: set it to the number of parameters that
     * were removed from the end, while jobs of former versions wait. More arguments are an error. For a parameter that
     * was removed elsewhere, use a {@link JobUpcaster}.
     */
    int ignoredArguments() default 0;

    /** The queue for jobs whose call names no other: 1 to 128 letters, digits and the characters {@code _ . : -}. */
    String queue() default "default";

    /**
     * How often a failed job is retried, 0 to 1,000: {@code 8} means nine executions, {@code 0} sends the job to the
     * dead set at its first failure, {@link #NONE} discards it.
     */
    int retry() default DEFAULT;

    /**
     * Seconds after the first failure during which a job is retried, instead of a number of times; 0 to 1,000,000,000,
     * 0 counts times.
     */
    long retryFor() default 0;

    /** The queue for retries of a failed job; empty means the queue it was taken from. */
    String retryQueue() default "";

    /** Whether an exhausted job is kept in the dead set, where it can be inspected and revived. */
    boolean dead() default true;

    /**
     * Lines of the stack trace to store with a failed job; 0 stores none, {@link Integer#MAX_VALUE} all. At most 1,000
     * are stored.
     */
    int backtrace() default 0;

    /**
     * How long after its due time the job is still worth running: numbers with {@code h}, {@code m}, {@code s} and
     * {@code ms}, or one with {@code d}, such as {@code 90s}, {@code 1h30m} or {@code 2d}, up to 11,574 days. A job that no worker has
     * begun by then, a retry included, is not run and kept nowhere. One that was begun in time goes on after it was
     * interrupted, or its worker stopped or died. Empty means for ever.
     */
    String expiresIn() default "";

    /**
     * How long one execution may take: numbers with {@code h}, {@code m}, {@code s} and {@code ms}, or one with
     * {@code d}, such as {@code 90s}, {@code 1h30m} or {@code 700ms}, up to 11,574 days. Then {@link JobContext#isCancelled()} is true and
     * the thread is interrupted; whatever the job throws is a failure, a {@link JobTimeoutException}, and a job that
     * goes on is given up with its thread. If empty, the worker's {@code jobs.timeout.default} applies.
     */
    String timeout() default "";

    /** Whether a job that timed out is retried like any failed job; else it goes to the dead set. */
    boolean timeoutRetry() default true;

    /**
     * Whether the thread of a running job is interrupted when the job is {@linkplain JobClient#cancel cancelled}. What
     * waits then ends with an exception; a job that only computes has to look at {@link JobContext#isCancelled()}.
     */
    boolean interruptible() default false;

    /**
     * How many jobs of this method may run at once, over all workers together, 1 to 1,000,000; 0 for any number. It is
     * a {@link Limit} with the job's wire name and without a key.
     */
    int concurrency() default 0;

    /**
     * Whose job it is, for queues in which the keys of jobs take turns: a text with references to arguments such as
     * {@code {0}}, {@code {shop}} or {@code {shop.id}}. What it gives must be at most 200 characters without control
     * characters, and can't name a {@link Masked} parameter. Empty means no key: all such jobs belong together. Other
     * queues ignore it.
     */
    String key() default "";

    /**
     * How many steps earlier than it was enqueued the job is taken in a queue that is ordered by priority, -100 to 100.
     * Other queues ignore it.
     */
    int priority() default 0;

    /** Labels shown by user interfaces and logs. */
    String[] tags() default {};

    /**
     * The times at which the job is enqueued automatically, as a cron text such as {@code 0 2 * * *}; see
     * {@link CronSchedule}. {@code -} turns the schedule off. The method must be able to run without arguments; use {@link RecurringJobs} for a job with
     * arguments. The recurring job is named like the job's wire name.
     */
    String cron() default "";

    /**
     * The time zone of {@link #cron()}, such as {@code Europe/Berlin}; empty means the zone at the end of the cron
     * text, or UTC.
     */
    String zone() default "";
}
