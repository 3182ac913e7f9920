package dev.jobs.recurring;

import dev.jobs.Job;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What a {@link Job} says of its schedule besides {@link Job#cron()}: that it runs at a fixed rate, and what becomes of
 * slots that were missed, or that come while an earlier job has not ended.
 *
 * <pre>{@code
 * @Job("poll-orders")
 * @Recurring(every = "30s", missed = Missed.SKIP)
 * void poll() {}
 *
 * @Job(cron = "0 2 * * *", zone = "Europe/Berlin")
 * @Recurring(missed = Missed.ONCE)
 * void report() {}
 * }</pre>
 *
 * <p>It may be on an annotation that is on the method. Spring resolves placeholders in its texts.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
public @interface Recurring {

    /**
     * The time from one slot to the next, in whole seconds from 1s to 365d, as numbers with h, m and s or one with d, such
     * as {@code 90s} or {@code 1h30m}; see {@link Recurrence#every}. {@code -} turns the schedule off, and empty means
     * {@link Job#cron()}.
     */
    String every() default "";

    /**
     * The time from the end of a job to the next slot, in the same form; see {@link Recurrence#delay}. {@code -} turns the
     * schedule off. The elements below have no effect on it.
     */
    String delay() default "";

    /** What becomes of slots that were missed. */
    Missed missed() default Missed.WITHIN_GRACE;

    /** How many missed slots are made up for at most with {@link Missed#ALL}, 1 to 1,000. */
    int mostMissed() default Recurrence.DEFAULT_MISSED;

    /** What becomes of a slot while the job of an earlier one has not ended. */
    Overlap overlap() default Overlap.ALLOW;
}
