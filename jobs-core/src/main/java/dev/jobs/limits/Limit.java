package dev.jobs.limits;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.Masked;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits how many jobs with the same key run at once, or start in a time, over all workers together. Goes beside
 * {@link Job}; at most three of one job.
 *
 * <pre>{@code
 * @Job
 * @Limit(name = "erp", key = "{0}", concurrency = 2)
 * void sync(long shop) {}
 *
 * @Job
 * @Limit(name = "api", rate = 10, per = "1s")
 * void call(long order) {}
 * }</pre>
 *
 * <p>A job whose limit is full is parked: it leaves its queue, costs nothing while it waits, and goes on as soon as a
 * job with the same key ends, whatever became of that one, or when the rate lets the next one start. Of one key, the
 * job that was enqueued first goes on first. A job with several limits runs once all of them let it.
 *
 * <p>Jobs with the same {@link #name} share a limit. A job that starts again, as a retry does, counts for the rate
 * again. A permit belongs to the execution; that of a worker that died is
 * free again once others have given that worker up and handed its jobs on. A worker that was frozen, given up, and
 * wakes up again may still run its job beside the next one: see {@link JobContext#holdsLease()}.
 *
 * @see Job#concurrency() for a limit on all jobs of one method
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(Limit.Several.class)
public @interface Limit {

    /** The name of the limit: 1 to 200 characters, without control characters. */
    String name();

    /**
     * What is limited, as a text with references to arguments: {@code {0}} or, by its parameter's name, {@code {shop}};
     * members of objects follow after dots, as in {@code {0.id}}. It is checked at the start, and can't name a
     * {@link Masked} parameter. Empty means one key for all jobs of the limit. Keys of more than 100 bytes, or with
     * control characters, are shortened to a digest.
     */
    String key() default "";

    /**
     * How many jobs with the same key may run at once, 1 to 1,000,000. 0 leaves it to the property
     * {@code jobs.limits.NAME.concurrency}, which also wins over a number here.
     */
    int concurrency() default 0;

    /**
     * How many jobs with the same key may start in the time {@link #per}, 1 to 1,000,000. They follow each other
     * evenly, but up to {@link #burst} start at once after a quiet time: so in any such time at most
     * {@code rate + burst - 1} start. 0 leaves it to the properties {@code jobs.limits.NAME.rate}, {@code per} and
     * {@code burst}, which also win over the numbers here.
     */
    int rate() default 0;

    /** The time for {@link #rate}, such as {@code 20s}, {@code 1h30m} or {@code 1d}: 1 millisecond to 365 days. */
    String per() default "";

    /** How many jobs may start at once after a quiet time, 1 to 1,000,000. 0 means as many as {@link #rate}. */
    int burst() default 0;

    /** Several limits of one method. */
    @Documented
    @Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @interface Several {
        /** The limits. */
        Limit[] value();
    }
}
