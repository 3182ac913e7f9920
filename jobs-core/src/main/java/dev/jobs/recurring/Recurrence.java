package dev.jobs.recurring;

import dev.jobs.Job;
import org.jspecify.annotations.Nullable;

/**
 * When and how a recurring job is enqueued. Immutable; each method returns a changed copy.
 *
 * <pre>{@code
 * Recurrence.cron("0 2 * * *").zone("Europe/Berlin").queue("low")
 * }</pre>
 *
 * @param cron a cron text, see {@link CronSchedule}
 * @param zone the time zone of the cron text; null if the text itself ends with one or means UTC
 * @param queue the job's queue; null for the queue of its {@link Job} annotation
 * @param description text for people; may be empty
 */
public record Recurrence(
        String cron, @Nullable String zone, @Nullable String queue, String description) {

    /** A recurrence by a cron text, in UTC unless the text ends with a zone. */
    public static Recurrence cron(String cron) {
        return new Recurrence(cron, null, null, "");
    }

    /** Sets the time zone, such as {@code Europe/Berlin}. */
    public Recurrence zone(String other) {
        return new Recurrence(cron, other, queue, description);
    }

    /** Sets the queue. */
    public Recurrence queue(String other) {
        return new Recurrence(cron, zone, other, description);
    }

    /** Sets the description. */
    public Recurrence description(String other) {
        return new Recurrence(cron, zone, queue, other);
    }

    /**
     * Parses the cron text and the zone.
     *
     * @throws InvalidCronException if one of them can't be used, or if both name a zone
     */
    public CronSchedule schedule() {
        return CronSchedule.parse(cron, zone);
    }
}
