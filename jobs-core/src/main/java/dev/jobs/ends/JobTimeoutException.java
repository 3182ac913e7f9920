package dev.jobs.ends;

import dev.jobs.Job;
import dev.jobs.JobsException;
import dev.jobs.WithoutArguments;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a job that took longer than its {@link Job#timeout()}. Its stack trace is that of the job's thread at
 * the deadline, its cause what the job threw after that; a job that did not end has no cause.
 */
public final class JobTimeoutException extends JobsException implements WithoutArguments {

    private static final long serialVersionUID = 1L;

    private final Duration timeout;

    /**
     * @param timeout the job's
     * @param stack where its thread was at the deadline
     */
    public JobTimeoutException(String message, Duration timeout, StackTraceElement[] stack, @Nullable Throwable cause) {
        super(message, cause);
        this.timeout = timeout;
        setStackTrace(stack);
    }

    /** How long the job may take. */
    public Duration timeout() {
        return timeout;
    }
}
