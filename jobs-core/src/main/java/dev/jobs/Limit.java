package dev.jobs;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits how many jobs with the same key run at once, over all workers together. Goes beside {@link Job}; at most three
 * of one job.
 *
 * <pre>{@code
 * @Job
 * @Limit(name = "erp", key = "{0}", concurrency = 2)
 * void sync(long shop) {}
 * }</pre>
 *
 * <p>A job whose limit is full is parked: it leaves its queue, costs nothing while it waits, and goes on as soon as a
 * job with the same key ends, whatever became of that one. Of one key, the job that was enqueued first goes on first. A
 * job with several limits runs once it has a permit of each.
 *
 * <p>Jobs with the same {@link #name} share a limit. A permit belongs to the execution; that of a worker that died is
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
     * members of objects follow after dots, as in {@code {0.id}}. It is checked at the start. Empty means one key for
     * all jobs of the limit. Keys of more than 100 bytes, or with control characters, are shortened to a digest.
     */
    String key() default "";

    /**
     * How many jobs with the same key may run at once, 1 to 1,000,000. 0 leaves it to the property
     * {@code jobs.limits.NAME.concurrency}, which also wins over a number here.
     */
    int concurrency() default 0;

    /** Several limits of one method. */
    @Documented
    @Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @interface Several {
        /** The limits. */
        Limit[] value();
    }
}
