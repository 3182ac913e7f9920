package dev.jobs.limiters;

import dev.jobs.JobsException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A limiter has no room, now or for as long as the caller would wait; see {@link Limiters}.
 *
 * <p>From a job it is no failure: the job goes to the scheduled set and runs again once there should be room, and no
 * retry is counted. Only after {@code jobs.limiters.reschedules} times in succession it is a failure like any other.
 * Jobs may throw it themselves, such as for a server that answers with a time after which to try again.
 */
public class OverLimitException extends JobsException {

    private static final long serialVersionUID = 1L;

    private final String limiter;
    private final Duration retryAfter;

    /**
     * @param limiter the name of the limiter, or of whatever has no room
     * @param retryAfter when there may be room; not negative
     */
    public OverLimitException(String limiter, Duration retryAfter) {
        this(limiter, retryAfter, null);
    }

    /** The same with a cause. */
    public OverLimitException(String limiter, Duration retryAfter, @Nullable Throwable cause) {
        super(
                "The limiter '" + limiter + "' has no room; there may be some in " + retryAfter.toMillis() / 1_000.0
                        + " s",
                cause);
        if (retryAfter.isNegative()) {
            throw new IllegalArgumentException("'retryAfter' must not be negative but was " + retryAfter);
        }
        this.limiter = limiter;
        this.retryAfter = retryAfter;
    }

    /** The name of the limiter. */
    public String limiter() {
        return limiter;
    }

    /** How long it takes until there may be room. Others may be faster. */
    public Duration retryAfter() {
        return retryAfter;
    }
}
