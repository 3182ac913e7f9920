package dev.jobs.recurring;

import dev.jobs.Internal;
import dev.jobs.JobDefinitionException;
import java.time.Duration;

/**
 * The settings of an engine for recurring jobs.
 *
 * @param enabled whether it declares and fires them
 * @param namespace of the recurring jobs that it fires and declares
 * @param application marks the jobs that it declares; if empty, jobs that are no longer declared are not removed
 * @param grace how late a slot may still be fired, 1 second to 12 hours
 * @param queues those of which it declares and fires recurring jobs
 * @param schedules what it declares besides the annotations
 */
@Internal
public record RecurringConfig(
        boolean enabled,
        String namespace,
        String application,
        Duration grace,
        LocalQueues queues,
        ConfiguredSchedules schedules) {

    private static final Duration LEAST_GRACE = Duration.ofSeconds(1);
    private static final Duration MOST_GRACE = Duration.ofHours(12); // slots are remembered for a day

    public RecurringConfig {
        if (!isNamespace(namespace)) {
            throw new JobDefinitionException(
                    "'namespace' must be a name but was '" + namespace + "'", "Correct the value, or leave it out.");
        }
        if (grace.compareTo(LEAST_GRACE) < 0 || grace.compareTo(MOST_GRACE) > 0) {
            throw new JobDefinitionException(
                    "'grace' must be " + LEAST_GRACE + " to " + MOST_GRACE + " but was " + grace, "Correct the value.");
        }
    }

    /** Whether it is one: not blank, nor the {@code *} that stands for all. */
    public static boolean isNamespace(String text) {
        return !text.isBlank() && !text.equals("*");
    }

    /** The same for what annotations alone declare. */
    public RecurringConfig(boolean enabled, String namespace, String application, Duration grace, LocalQueues queues) {
        this(enabled, namespace, application, grace, queues, ConfiguredSchedules.NONE);
    }

    /** The same for a single Redis, whose queues are all here. */
    public RecurringConfig(boolean enabled, String namespace, String application, Duration grace) {
        this(enabled, namespace, application, grace, LocalQueues.ALL);
    }

    /** The same settings for other queues. */
    public RecurringConfig in(LocalQueues others) {
        return new RecurringConfig(enabled, namespace, application, grace, others, schedules);
    }

    /** The same settings with what the configuration declares. */
    public RecurringConfig with(ConfiguredSchedules others) {
        return new RecurringConfig(enabled, namespace, application, grace, queues, others);
    }

    /** sidekiq-cron's: namespace {@code default}, a grace of a minute. */
    public static RecurringConfig defaults() {
        return new RecurringConfig(true, "default", "", Duration.ofMinutes(1));
    }
}
