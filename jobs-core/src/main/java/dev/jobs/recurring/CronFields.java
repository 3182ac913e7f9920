package dev.jobs.recurring;

import dev.jobs.recurring.CronField.Kind;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import org.jspecify.annotations.Nullable;

/** The wall-clock times that the fields of a cron text name, without time zones. */
final class CronFields {

    /** The rarest day, such as the fifth Monday of February, is at most 40 years away. */
    private static final int MOST_YEARS = 50;

    private final CronField seconds;
    private final CronField minutes;
    private final CronField hours;
    private final CronDays days;

    private CronFields(CronField seconds, CronField minutes, CronField hours, CronDays days) {
        this.seconds = seconds;
        this.minutes = minutes;
        this.hours = hours;
        this.days = days;
    }

    /**
     * Reads six fields, with the seconds first.
     *
     * @throws InvalidCronException if a field is invalid; the message is the end of a sentence
     */
    static CronFields parse(String... six) {
        CronFields fields = new CronFields(
                CronField.parse(Kind.SECOND, six[0]),
                CronField.parse(Kind.MINUTE, six[1]),
                CronField.parse(Kind.HOUR, six[2]),
                CronDays.parse(six[3], six[4], six[5]));
        if (fields.find(LocalDateTime.of(2000, 1, 1, 0, 0)) == null) {
            throw new InvalidCronException("no month has the day that it names");
        }
        return fields;
    }

    /** Whether the fields name every hour, so that the times don't depend on what hour a clock shows. */
    boolean everyHour() {
        return hours.bits() == (1L << 24) - 1;
    }

    /** Whether a day matches if either the day of the month or that of the week names it. */
    boolean restrictsBothDays() {
        return days.restrictsBoth();
    }

    /** The first of the times at or after the given one. */
    LocalDateTime atOrAfter(LocalDateTime time) {
        LocalDateTime found = find(time);
        if (found == null) {
            throw new IllegalStateException("No time at or after " + time);
        }
        return found;
    }

    private @Nullable LocalDateTime find(LocalDateTime time) {
        LocalDate day = time.toLocalDate();
        LocalDate end = day.plusYears(MOST_YEARS);
        LocalTime from = time.toLocalTime();
        while (day.isBefore(end)) {
            if (!days.hasMonth(day)) {
                day = day.plusMonths(1).withDayOfMonth(1);
                from = LocalTime.MIN;
                continue;
            }
            LocalTime found = days.matches(day) ? atOrAfter(from) : null;
            if (found != null) {
                return day.atTime(found);
            }
            day = day.plusDays(1);
            from = LocalTime.MIN;
        }
        return null;
    }

    private @Nullable LocalTime atOrAfter(LocalTime from) {
        int hour = hours.atOrAfter(from.getHour());
        if (hour == from.getHour()) {
            int minute = minutes.atOrAfter(from.getMinute());
            if (minute == from.getMinute()) {
                int second = seconds.atOrAfter(from.getSecond());
                if (second >= 0) {
                    return LocalTime.of(hour, minute, second);
                }
                minute = minutes.atOrAfter(minute + 1);
            }
            if (minute >= 0) {
                return LocalTime.of(hour, minute, seconds.atOrAfter(0));
            }
            hour = hours.atOrAfter(hour + 1);
        }
        return hour < 0 ? null : LocalTime.of(hour, minutes.atOrAfter(0), seconds.atOrAfter(0));
    }

    /** The last of the times at or before the given one. */
    LocalDateTime atOrBefore(LocalDateTime time) {
        LocalDate day = time.toLocalDate();
        LocalDate end = day.minusYears(MOST_YEARS);
        LocalTime from = time.toLocalTime();
        while (day.isAfter(end)) {
            if (!days.hasMonth(day)) {
                day = day.withDayOfMonth(1).minusDays(1);
                from = LocalTime.MAX;
                continue;
            }
            LocalTime found = days.matches(day) ? atOrBefore(from) : null;
            if (found != null) {
                return day.atTime(found);
            }
            day = day.minusDays(1);
            from = LocalTime.MAX;
        }
        throw new IllegalStateException("No time at or before " + time);
    }

    private @Nullable LocalTime atOrBefore(LocalTime from) {
        int hour = hours.atOrBefore(from.getHour());
        if (hour == from.getHour()) {
            int minute = minutes.atOrBefore(from.getMinute());
            if (minute == from.getMinute()) {
                int second = seconds.atOrBefore(from.getSecond());
                if (second >= 0) {
                    return LocalTime.of(hour, minute, second);
                }
                minute = minutes.atOrBefore(minute - 1);
            }
            if (minute >= 0) {
                return LocalTime.of(hour, minute, seconds.atOrBefore(59));
            }
            hour = hours.atOrBefore(hour - 1);
        }
        return hour < 0 ? null : LocalTime.of(hour, minutes.atOrBefore(59), seconds.atOrBefore(59));
    }
}
