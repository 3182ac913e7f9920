package dev.jobs;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method as a job: what the worker runs when a payload of its name is taken from a queue.
 *
 * <p>The method's parameters are the job's arguments, bound by position from JSON. A last parameter of type {@link JobContext} is injected
 * and is no argument. An exception is a failure and is retried by policy. The return value is ignored, unless it is an {@link Iteration}: then
 * the job works through many elements and can be left and resumed between any two of them. A job may run more than once (a worker may die
 * between the work and its acknowledgement), so it should be safe to repeat.
 *
 * <p>It may also stand on an annotation of the application's own, which then marks methods in its place; Spring finds these.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Job {

    /** For {@link #retry()}: as often as the application's default says ({@code jobs.retry.max-attempts}, 25). */
    int DEFAULT = Integer.MAX_VALUE;

    /** For {@link #retry()}: a failed job is dropped, neither retried nor kept in the dead set. */
    int NONE = -1;

    /**
     * The wire name: what is stored in Redis and what other applications, Ruby included, enqueue by. Defaults to the simple class name, a
     * dot and the method name, as in {@code Emails.welcome}; give one explicitly so that a rename can't strand waiting jobs.
     */
    String value() default "";

    /** Former names, still served: jobs that wait under them run here. */
    String[] aliases() default {};

    /** The queue that jobs go to unless the call names another. */
    String queue() default "default";

    /**
     * How often a failed job is tried again, 0 to 1,000: {@code 8} means nine executions, {@code 0} that the first failure goes to the
     * dead set, {@link #NONE} that it is dropped.
     */
    int retry() default DEFAULT;

    /** Seconds since the first failure for which a job is retried, instead of a number of times; 0 counts times. */
    long retryFor() default 0;

    /** The queue that a failed job goes to when it is due again; empty means the queue it was taken from. */
    String retryQueue() default "";

    /** Whether an exhausted job is kept in the dead set, where it can be looked at and revived. */
    boolean dead() default true;

    /** Lines of the stack trace that are stored with a failed job; 0 stores none, {@link Integer#MAX_VALUE} all. */
    int backtrace() default 0;

    /** Labels that user interfaces and logs show. */
    String[] tags() default {};

    /**
     * The times at which the job is enqueued by itself, as a cron text such as {@code 0 2 * * *}; see {@link CronSchedule}. The method must be
     * able to run without arguments: others are what {@link RecurringJobs} is for. Its name among recurring jobs is its wire name.
     */
    String cron() default "";

    /** The time zone that {@link #cron()} is meant in, such as {@code Europe/Berlin}; UTC if empty and if the cron text doesn't end with one. */
    String zone() default "";
}
