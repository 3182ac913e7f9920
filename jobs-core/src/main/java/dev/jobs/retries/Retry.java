package dev.jobs.retries;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.RetryPolicy;
import dev.jobs.RetryRule;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * How often, when and after which failures a {@link Job} is retried, beside that annotation. Names and meanings are
 * those of Spring's {@code @Retryable}.
 *
 * <pre>{@code
 * @Job("Prices.load")
 * @Retry(maxRetries = 8, delay = "10s", multiplier = 2, maxDelay = "10m", excludes = ShopClosedException.class)
 * void load(long shop) {
 *     // ask the shop
 * }
 * }</pre>
 *
 * <p>What the annotation leaves out is as for all jobs: the number of retries, the delays, and that each failure is
 * retried. A {@link JobClient#retry(RetryRule) call} may say otherwise of the number and the delays. {@code maxRetries}
 * is stored with each job; the rest is read when a job fails, so that a new version of the application decides for jobs
 * that wait.
 *
 * <p>Also on an annotation of your own. Times are numbers with {@code h}, {@code m}, {@code s} and {@code ms}, or one
 * with {@code d}, such as {@code 90s}, {@code 1h30m} or {@code 2d}, and, like all texts, may be placeholders such as
 * {@code ${prices.delay}}, which Spring resolves. What can't work is reported at start.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Retry {

    /** How often a failed job is retried, 0 to 1,000, in place of {@link Job#retry()}. */
    int maxRetries() default Job.DEFAULT;

    /**
     * The failures after which a job is retried, with their subtypes: what the job threw, or one of its causes. Empty
     * for all. After any other failure the job is given up as if its retries were used up.
     */
    Class<? extends Throwable>[] includes() default {};

    /** The failures after which a job is not retried, with their subtypes, also if {@link #includes} has them. */
    Class<? extends Throwable>[] excludes() default {};

    /** The time from the first failure to the first retry, 1 ms to 11,574 days; empty for the delays of all jobs. */
    String delay() default "";

    /** What each further delay is as a multiple of the one before, 1 to 1,000. */
    double multiplier() default 1;

    /** The longest delay, not less than the first; empty for no other bound than that of {@link #delay}. */
    String maxDelay() default "";

    /**
     * How much shorter or longer at random the first delay may be, so that jobs that fail together are not retried
     * together. It grows like the delays; none is shorter than {@link #delay} or longer than {@link #maxDelay}. Empty
     * for none.
     */
    String jitter() default "";

    /**
     * The type of the bean that decides about this job, in place of {@link #delay}. Declare the bean with
     * {@code @Bean(defaultCandidate = false)}, or it decides about all jobs. If it has no answer, those that decide
     * about all jobs are asked.
     */
    Class<? extends RetryPolicy> policy() default RetryPolicy.class;

    /** The same by the name of the bean. */
    String policyName() default "";
}
