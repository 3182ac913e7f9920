package dev.jobs;

import org.jspecify.annotations.Nullable;

/**
 * When a recurring job is due, and how it is enqueued then. Immutable; each method returns a changed copy.
 *
 * <pre>{@code
 * Recurrence.cron("0 2 * * *").zone("Europe/Berlin").queue("low")
 * }</pre>
 *
 * @param cron a cron text, see {@link CronSchedule}
 * @param zone the time zone that it is meant in; null if the text says it itself or means UTC
 * @param queue the queue that the job goes to; null for the one that its {@link Job} annotation says
 * @param description for people; may be empty
 */
public record Recurrence(
        String cron, @Nullable String zone, @Nullable String queue, String description) {

    /** By a cron text in UTC, unless it ends with a zone. */
    public static Recurrence cron(String cron) {
        return new Recurrence(cron, null, null, "");
    }

    /** In that time zone, such as {@code Europe/Berlin}. */
    public Recurrence zone(String other) {
        return new Recurrence(cron, other, queue, description);
    }

    /** Into that queue. */
    public Recurrence queue(String other) {
        return new Recurrence(cron, zone, other, description);
    }

    /** With that text for people. */
    public Recurrence description(String other) {
        return new Recurrence(cron, zone, queue, other);
    }

    /**
     * What the cron text means.
     *
     * @throws InvalidCronException if it can't be used
     */
    public CronSchedule schedule() {
        return CronSchedule.parse(cron, zone);
    }
}
