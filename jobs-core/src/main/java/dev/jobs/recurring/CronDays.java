package dev.jobs.recurring;

import dev.jobs.recurring.CronField.Kind;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The days that a cron text names. As in Unix cron: if both the days of the month and those of the week are restricted,
 * a day matches if either field names it.
 */
final class CronDays {

    private static final Pattern FROM_END = Pattern.compile("-([0-9]{1,2})|l|last");
    private static final Pattern NTH = Pattern.compile("([0-7]|[a-z]{3})#(?:(-?[1-5])|l|last)");

    /** The n-th occurrence of a weekday in each month, counted from the month's end if {@code which} is negative. */
    private record Nth(int day, int which) {

        boolean matches(LocalDate date) {
            int fromEnd = (date.lengthOfMonth() - date.getDayOfMonth()) / 7 + 1;
            int fromStart = (date.getDayOfMonth() - 1) / 7 + 1;
            return weekday(date) == day && (which > 0 ? fromStart == which : fromEnd == -which);
        }
    }

    private final CronField months;
    private final CronField monthDays;
    private final CronField weekdays;

    /** Days counted from the end of a month, as bits; bit 1 is the last day. */
    private final long fromEnd;

    private final List<Nth> nths;

    private CronDays(CronField months, CronField monthDays, long fromEnd, CronField weekdays, List<Nth> nths) {
        this.months = months;
        this.monthDays = monthDays;
        this.fromEnd = fromEnd;
        this.weekdays = weekdays;
        this.nths = nths;
    }

    static CronDays parse(String monthDays, String months, String weekdays) {
        List<String> plainDays = new ArrayList<>();
        long fromEnd = 0;
        for (String each : split(monthDays)) {
            Matcher last = FROM_END.matcher(each);
            if (last.matches()) {
                fromEnd |= 1L << (last.group(1) == null ? 1 : Kind.DAY.value(last.group(1)));
            } else {
                plainDays.add(each);
            }
        }
        List<String> plainWeekdays = new ArrayList<>();
        List<Nth> nths = new ArrayList<>();
        for (String each : split(weekdays)) {
            Matcher nth = NTH.matcher(each);
            if (nth.matches()) {
                int which = nth.group(2) == null ? -1 : Integer.parseInt(nth.group(2));
                nths.add(new Nth(Kind.WEEKDAY.value(nth.group(1)) % 7, which));
            } else {
                plainWeekdays.add(each);
            }
        }
        return new CronDays(
                CronField.parse(Kind.MONTH, months),
                fieldOf(Kind.DAY, plainDays),
                fromEnd,
                fieldOf(Kind.WEEKDAY, plainWeekdays),
                List.copyOf(nths));
    }

    private static String[] split(String list) {
        return list.toLowerCase(Locale.ROOT).split(",", -1);
    }

    private static CronField fieldOf(Kind kind, List<String> elements) {
        return elements.isEmpty() ? new CronField(0, false) : CronField.parse(kind, String.join(",", elements));
    }

    private static int weekday(LocalDate day) {
        return day.getDayOfWeek().getValue() % 7;
    }

    boolean hasMonth(LocalDate day) {
        return months.has(day.getMonthValue());
    }

    /** Whether the fields name both the day and its month. */
    boolean matches(LocalDate day) {
        if (!hasMonth(day)) {
            return false;
        }
        if (restrictsBoth()) {
            return isMonthDay(day) || isWeekday(day);
        }
        return (monthDays.any() || isMonthDay(day)) && (weekdays.any() || isWeekday(day));
    }

    boolean restrictsBoth() {
        return !monthDays.any() && !weekdays.any();
    }

    private boolean isMonthDay(LocalDate day) {
        int left = day.lengthOfMonth() - day.getDayOfMonth() + 1;
        return monthDays.has(day.getDayOfMonth()) || (fromEnd & 1L << left) != 0;
    }

    private boolean isWeekday(LocalDate day) {
        return weekdays.has(weekday(day)) || nths.stream().anyMatch(nth -> nth.matches(day));
    }
}
