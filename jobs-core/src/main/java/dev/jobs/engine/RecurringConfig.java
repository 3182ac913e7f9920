package dev.jobs.engine;

import dev.jobs.JobDefinitionException;
import java.time.Duration;

/**
 * How an engine deals with recurring jobs.
 *
 * @param enabled whether it declares and fires them
 * @param namespace whose recurring jobs it fires, and where it puts those that it declares
 * @param application marks those that it declares; if empty, none is removed that is not declared any more
 * @param grace how late a slot may be that nobody took, 1 second to 12 hours
 */
public record RecurringConfig(boolean enabled, String namespace, String application, Duration grace) {

    private static final Duration LEAST_GRACE = Duration.ofSeconds(1);
    private static final Duration MOST_GRACE = Duration.ofHours(12); // slots are remembered for a day

    public RecurringConfig {
        if (namespace.isBlank() || namespace.equals("*")) {
            throw new JobDefinitionException(
                    "'namespace' must be a name but was '" + namespace + "'", "Correct the value, or leave it out.");
        }
        if (grace.compareTo(LEAST_GRACE) < 0 || grace.compareTo(MOST_GRACE) > 0) {
            throw new JobDefinitionException(
                    "'grace' must be " + LEAST_GRACE + " to " + MOST_GRACE + " but was " + grace, "Correct the value.");
        }
    }

    /** sidekiq-cron's: namespace {@code default}, a grace of a minute. */
    public static RecurringConfig defaults() {
        return new RecurringConfig(true, "default", "", Duration.ofMinutes(1));
    }
}
