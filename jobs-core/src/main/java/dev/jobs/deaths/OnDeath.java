package dev.jobs.deaths;

import dev.jobs.ArgumentMasking;
import dev.jobs.DeathHandler;
import dev.jobs.Job;
import dev.jobs.JobErrorHandler;
import dev.jobs.JobFailedException;
import dev.jobs.Masked;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method the last word of a {@link Job} of the same class: it is called when the job is given up, which is when
 * every {@link DeathHandler} is called, and before those.
 *
 * <pre>{@code
 * @Job("Orders.ship")
 * void ship(long order, String carrier) {
 *     // ask the carrier to fetch it
 * }
 *
 * @OnDeath("ship")
 * void notShipped(long order, @Nullable Throwable failure) {
 *     // tell the customer
 * }
 * }</pre>
 *
 * <p>The method takes the job's arguments from the first one on, with the same types, or fewer of them. After these it
 * may take a {@code Throwable}, which is what the job threw last, or null if it threw nothing: it was killed by hand, or
 * died with its workers. And it may take the {@link dev.jobs.Payload} of the job. What it returns is ignored.
 *
 * <p>Only the arguments that it takes are read, as for the job: after the upcasters, with the values that the job's
 * parameters declare for missing ones. If one can't be read, the method isn't called. That and what the method throws
 * is logged and reported to every {@link JobErrorHandler}, and has no effect on the job.
 *
 * <p>Called after Redis has stored the death, at most once, on the bean of the job: by the process that settled the job,
 * or that buried it, or in which it was killed by hand, if that process knows the job. Not called for a job that threw a
 * {@link JobFailedException}, was deleted or cancelled, or expired. The thread runs no other job until the method
 * returns, and a stopping worker waits for it until {@code jobs.shutdown-timeout}.
 *
 * <p>The method gets arguments and failure as they are, although {@link Masked} may hide them: {@link ArgumentMasking},
 * which is a bean, masks texts for logs.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface OnDeath {

    /** The names of the methods whose jobs it is for; may be left out if the class has a single one. */
    String[] value() default {};
}
