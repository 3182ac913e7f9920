package dev.jobs.recurring;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The times that the fields of a cron text name on the clocks of a zone; {@link CronSchedule} says how those change. */
final class CronTimes implements Times {

    private final CronFields fields;
    private final ZoneId zone;
    private final ZoneRules rules;

    CronTimes(CronFields fields, ZoneId zone) {
        this.fields = fields;
        this.zone = zone;
        this.rules = zone.getRules();
    }

    @Override
    public Instant next(Instant after) {
        return fields.everyHour() ? nextInRealTime(after) : nextOnWallClock(after);
    }

    @Override
    public Instant atOrBefore(Instant time) {
        Instant second = time.truncatedTo(ChronoUnit.SECONDS);
        return fields.everyHour() ? lastInRealTime(second) : lastOnWallClock(second);
    }

    @Override
    public @Nullable Instant repeated(Instant slot) {
        LocalDateTime local = local(slot);
        List<ZoneOffset> offsets = rules.getValidOffsets(local);
        return fields.everyHour() || offsets.size() < 2 ? null : local.toInstant(offsets.get(1));
    }

    private Instant nextOnWallClock(Instant after) {
        ZoneOffsetTransition overlap = secondPass(after);
        LocalDateTime from = overlap != null
                ? overlap.getDateTimeBefore()
                : local(after).truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
        while (true) {
            LocalDateTime found = fields.atOrAfter(from);
            Instant slot = instant(found);
            if (slot.isAfter(after)) {
                return slot;
            }
            from = found.plusSeconds(1);
        }
    }

    private Instant lastOnWallClock(Instant time) {
        ZoneOffsetTransition overlap = secondPass(time);
        return instant(
                fields.atOrBefore(overlap != null ? overlap.getDateTimeBefore().minusSeconds(1) : local(time)));
    }

    private Instant nextInRealTime(Instant after) {
        Instant from = after.truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
        while (true) {
            Instant slot = fields.atOrAfter(local(from)).toInstant(rules.getOffset(from));
            ZoneOffsetTransition change = rules.nextTransition(from);
            if (change == null || slot.isBefore(change.getInstant())) {
                return slot;
            }
            from = change.getInstant();
        }
    }

    private Instant lastInRealTime(Instant time) {
        Instant from = time;
        while (true) {
            Instant slot = fields.atOrBefore(local(from)).toInstant(rules.getOffset(from));
            ZoneOffsetTransition change = rules.previousTransition(from.plusNanos(1));
            if (change == null || !slot.isBefore(change.getInstant())) {
                return slot;
            }
            from = change.getInstant().minusSeconds(1);
        }
    }

    private LocalDateTime local(Instant time) {
        return LocalDateTime.ofInstant(time, zone);
    }

    /** The transition that put clocks back, if at the given time they repeat what they showed before it; else null. */
    private @Nullable ZoneOffsetTransition secondPass(Instant time) {
        ZoneOffsetTransition change = rules.getTransition(local(time));
        return change != null && change.isOverlap() && !time.isBefore(change.getInstant()) ? change : null;
    }

    /** When clocks first show a time; the end of the gap if clocks skip it. */
    private Instant instant(LocalDateTime local) {
        ZoneOffsetTransition change = rules.getTransition(local);
        return change != null && change.isGap()
                ? change.getInstant()
                : local.toInstant(rules.getValidOffsets(local).get(0));
    }
}
