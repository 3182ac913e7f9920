package dev.jobs.recurring;

import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobDefinition;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When and how a recurring job is enqueued. Immutable; each method returns a changed copy.
 *
 * <pre>{@code
 * Recurrence.cron("0 2 * * *").zone("Europe/Berlin").queue("low")
 * Recurrence.every(Duration.ofSeconds(90)).missed(Missed.SKIP)
 * }</pre>
 *
 * @param cron a cron text, see {@link CronSchedule}
 * @param zone the time zone of the cron text; null if the text itself ends with one or means UTC
 * @param queue the job's queue; null for the queue of its {@link Job} annotation
 * @param description text for people; may be empty
 * @param missed what becomes of slots that were missed
 * @param mostMissed how many of them are made up for at most with {@link Missed#ALL}, 1 to 1,000
 * @param overlap what becomes of a slot while the job of an earlier one has not ended
 */
public record Recurrence(
        String cron,
        @Nullable String zone,
        @Nullable String queue,
        String description,
        Missed missed,
        int mostMissed,
        Overlap overlap) {

    /** How many missed slots are made up for at most, unless a recurrence says otherwise. */
    static final int DEFAULT_MISSED = 100;

    /** The largest number of missed slots that are made up for. */
    public static final int MOST_MISSED = 1_000;

    /** Two rules of which one undoes what the other is for. */
    record Contradiction(String what, String action) {

        private static final Contradiction QUEUED = new Contradiction(
                "overlap QUEUE, by which a slot waits, and missed SKIP, by which none is fired late",
                "Use missed ONCE or ALL, or overlap SKIP.");

        /** Null if the two can be combined. */
        static @Nullable Contradiction of(Missed missed, Overlap overlap) {
            if (overlap == Overlap.QUEUE && missed == Missed.SKIP) {
                return QUEUED;
            }
            if (missed != Missed.ALL || overlap == Overlap.ALLOW || overlap == Overlap.QUEUE) {
                return null;
            }
            String lost = overlap == Overlap.SKIP
                    ? "all but the first of them pass"
                    : "the job of each but the last is cancelled";
            return new Contradiction(
                    "missed ALL, by which all slots are fired late, and overlap " + overlap + ", by which " + lost,
                    "Use overlap QUEUE, by which they are fired one after the other, or missed ONCE.");
        }
    }

    /**
     * @throws InvalidJobException if {@code mostMissed} is not 1 to 1,000; if slots are to wait and not to be made up for; or
     *     if all are to be made up for, and to be skipped or to cancel each other
     */
    public Recurrence {
        if (mostMissed < 1 || mostMissed > MOST_MISSED) {
            throw new InvalidJobException("'mostMissed' must be 1 to " + MOST_MISSED + " but was " + mostMissed);
        }
        Contradiction contradiction = Contradiction.of(missed, overlap);
        if (contradiction != null) {
            throw new InvalidJobException("A recurrence has " + contradiction.what() + ". " + contradiction.action());
        }
    }

    /** A recurrence by a cron text, in UTC unless the text ends with a zone. */
    public static Recurrence cron(String cron) {
        return new Recurrence(cron, null, null, "", Missed.WITHIN_GRACE, DEFAULT_MISSED, Overlap.ALLOW);
    }

    /**
     * A recurrence at a fixed rate, however long the job runs. The slots are the multiples of the time since 1970 in
     * UTC, so that all workers know them, and a restart moves none: those of 15 minutes are at 0, 15, 30 and 45 minutes
     * past the hour. Ruby does not see such a recurring job.
     *
     * @param time whole seconds, 1 second to 365 days
     * @throws InvalidCronException if it is something else
     */
    public static Recurrence every(Duration time) {
        return cron(FixedRate.of(time).text());
    }

    /**
     * A recurrence with a fixed delay between jobs: a slot is so long after the end of the last job, or after the
     * recurring job was created or resumed. A slot that was missed is fired as soon as a worker is back. A job has
     * ended when it was done or given up; after a day it counts as ended, and the next one may overlap it. Ruby does not
     * see such a recurring job, and does not tell when a job has ended: if Ruby performs it, it is enqueued once a day at
     * most.
     *
     * @param time whole seconds, 1 second to 365 days
     * @throws InvalidCronException if it is something else
     */
    public static Recurrence delay(Duration time) {
        return cron(FixedRate.of(time).text(FixedDelay.PREFIX));
    }

    /** Whether a job of it keeps the next one away until it has ended. */
    boolean waitsForEnds() {
        return overlap == Overlap.SKIP || overlap == Overlap.QUEUE || schedule().isDelay();
    }

    /** How a job recurs, as {@link Job#cron()} and {@link Recurring} say; null if it doesn't. */
    public static @Nullable Recurrence of(JobDefinition job) {
        return CronRules.recurrence(job);
    }

    /** Sets the time zone, such as {@code Europe/Berlin}. */
    public Recurrence zone(String other) {
        return new Recurrence(cron, other, queue, description, missed, mostMissed, overlap);
    }

    /** Sets the queue. */
    public Recurrence queue(String other) {
        return new Recurrence(cron, zone, other, description, missed, mostMissed, overlap);
    }

    /** Sets the description. */
    public Recurrence description(String other) {
        return new Recurrence(cron, zone, queue, other, missed, mostMissed, overlap);
    }

    /** Sets what becomes of slots that were missed. */
    public Recurrence missed(Missed other) {
        return new Recurrence(cron, zone, queue, description, other, mostMissed, overlap);
    }

    /** Sets how many missed slots are made up for at most with {@link Missed#ALL}, 1 to 1,000; 100 by default. */
    public Recurrence mostMissed(int other) {
        return new Recurrence(cron, zone, queue, description, missed, other, overlap);
    }

    /** Sets what becomes of a slot while the job of an earlier one has not ended. */
    public Recurrence overlap(Overlap other) {
        return new Recurrence(cron, zone, queue, description, missed, mostMissed, other);
    }

    /**
     * Parses the cron text and the zone.
     *
     * @throws InvalidCronException if one of them can't be used, or if both name a zone
     * @throws InvalidJobException if there is a delay, beside which {@code missed} and {@code overlap} have no effect
     */
    public CronSchedule schedule() {
        CronSchedule schedule = CronSchedule.parse(cron, zone);
        if (schedule.isDelay() && (missed != Missed.WITHIN_GRACE || overlap != Overlap.ALLOW)) {
            throw new InvalidJobException("Beside a delay, 'missed' and 'overlap' have no effect: it begins when a job"
                    + " has ended, and a missed slot is fired late; remove them");
        }
        return schedule;
    }
}
