package dev.jobs.recurring;

import dev.jobs.Internal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which slots of a recurring job are to be fired at a time, as it says of those that were missed. */
@Internal
public final class DueTimes {

    /**
     * How late a job that was on time before may be without missing a slot: longer than a pause of a JVM, or than
     * another process takes to become leader.
     */
    static final Duration HICCUP = Duration.ofSeconds(15);

    private DueTimes() {}

    /**
     * The slots, the earliest first; at most {@link Recurrence#mostMissed}, or those of a hiccup.
     *
     * @param job says which missed slots are made up for
     * @param taken the slot up to which all are decided; null if unknown, and then nothing old is made up for
     * @param grace how old a slot may be if the job says nothing
     */
    public static List<Instant> of(
            RecurringJob job, CronSchedule schedule, @Nullable Instant taken, Instant now, Duration grace) {
        if (schedule.isDelay()) {
            Instant due = taken == null ? now : schedule.next(taken);
            return due.isAfter(now) ? List.of() : List.of(due);
        }
        Instant last = schedule.atOrBefore(now);
        List<Instant> slots = new ArrayList<>();
        if (taken != null && Duration.between(taken, now).compareTo(HICCUP) <= 0) {
            for (Instant slot = schedule.next(taken); slot.isBefore(last); slot = schedule.next(slot)) {
                slots.add(slot);
            }
        } else if (taken != null && job.missed() == Missed.ALL) {
            Instant slot = before(schedule, last);
            for (int i = 1; i < job.mostMissed() && slot.isAfter(taken); i++) {
                slots.add(slot);
                slot = before(schedule, slot);
            }
            Collections.reverse(slots);
        }
        if (isFired(last, job.missed(), taken, now, grace)) {
            slots.add(last);
        }
        return slots;
    }

    private static Instant before(CronSchedule schedule, Instant slot) {
        return schedule.atOrBefore(slot.minusSeconds(1));
    }

    /** Whether the last slot is: all before it are only if it is. */
    private static boolean isFired(Instant last, Missed missed, @Nullable Instant taken, Instant now, Duration grace) {
        return switch (missed) {
            case ONCE, ALL -> taken == null ? isWithin(grace, last, now) : last.isAfter(taken);
            case SKIP -> isWithin(grace.compareTo(HICCUP) < 0 ? grace : HICCUP, last, now);
            case WITHIN_GRACE -> isWithin(grace, last, now);
        };
    }

    private static boolean isWithin(Duration time, Instant slot, Instant now) {
        return Duration.between(slot, now).compareTo(time) <= 0;
    }
}
