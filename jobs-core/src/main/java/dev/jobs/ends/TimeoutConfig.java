package dev.jobs.ends;

import dev.jobs.Internal;
import dev.jobs.JobDefinitionException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long executions may take.
 *
 * @param standard for jobs that have no timeout of their own, 1 millisecond to 365 days; null for none
 * @param grace how long a job that was told to end may go on before its thread is left behind, 0 to 1 hour
 */
@Internal
public record TimeoutConfig(@Nullable Duration standard, Duration grace) {

    private static final Duration LEAST = Duration.ofMillis(1);
    private static final Duration MOST = Duration.ofDays(365);
    private static final Duration MOST_GRACE = Duration.ofHours(1);

    public TimeoutConfig {
        if (standard != null && (standard.compareTo(LEAST) < 0 || standard.compareTo(MOST) > 0)) {
            throw new JobDefinitionException(
                    "'timeout' must be " + LEAST + " to " + MOST + " but was " + standard, "Correct the value.");
        }
        if (grace.isNegative() || grace.compareTo(MOST_GRACE) > 0) {
            throw new JobDefinitionException(
                    "'grace' must be 0 to " + MOST_GRACE + " but was " + grace, "Correct the value.");
        }
    }

    /** No timeout, and a grace of 10 seconds. */
    public static TimeoutConfig defaults() {
        return new TimeoutConfig(null, Duration.ofSeconds(10));
    }
}
