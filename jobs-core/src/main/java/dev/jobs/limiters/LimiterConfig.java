package dev.jobs.limiters;

import dev.jobs.Internal;
import dev.jobs.JobDefinitionException;
import java.time.Duration;
import java.util.Set;

/**
 * What becomes of jobs that are over a limit.
 *
 * @param reschedules how often in succession such a job is put off before it fails, 0 to 1,000
 * @param errors names of exception classes that count as over a limit, besides {@link dev.jobs.limiters.OverLimitException}; a
 *     subclass counts too
 * @param errorDelay how long a job that threw one of these is put off, 1 ms to 1 day
 */
@Internal
public record LimiterConfig(int reschedules, Set<String> errors, Duration errorDelay) {

    private static final int MOST_RESCHEDULES = 1_000;

    public LimiterConfig {
        errors = Set.copyOf(errors);
        if (reschedules < 0 || reschedules > MOST_RESCHEDULES) {
            throw new JobDefinitionException(
                    "'reschedules' must be 0 to " + MOST_RESCHEDULES + " but was " + reschedules, "Correct the value.");
        }
        if (errorDelay.compareTo(Duration.ofMillis(1)) < 0 || errorDelay.compareTo(Duration.ofDays(1)) > 0) {
            throw new JobDefinitionException(
                    "'errorDelay' must be PT0.001S to PT24H but was " + errorDelay, "Correct the value.");
        }
    }

    /** 20 times, no further classes, and a minute. */
    public static LimiterConfig defaults() {
        return new LimiterConfig(20, Set.of(), Duration.ofMinutes(1));
    }
}
