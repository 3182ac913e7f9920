package dev.jobs.recurring;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Cron texts as Quartz and Spring write them, whose other forms Ruby can't read: replaces {@code ?}, and names the form
 * to write instead of the others.
 */
final class CronDialect {

    private static final Pattern DAY_BEFORE_LAST = Pattern.compile("l-([0-9]{1,2})");
    private static final Pattern LAST_WEEKDAY = Pattern.compile("(sun|mon|tue|wed|thu|fri|sat|[0-7])l");

    private static final Pattern WEEKDAY = Pattern.compile("sun|mon|tue|wed|thu|fri|sat|[0-7]");
    private static final Pattern WEEK_IN_STEPS = Pattern.compile("\\*/([0-9]{1,2})");
    private static final Pattern ONLY_SUNDAY = Pattern.compile("(7|sun)-(7|sun)");
    private static final List<String> WEEKDAYS = List.of("sun", "mon", "tue", "wed", "thu", "fri", "sat");
    private static final List<String> WEEKS = List.of("1-7", "8-14", "15-21", "22-28");

    private CronDialect() {}

    /**
     * Replaces a {@code ?} in the day fields by {@code *}, which Ruby reads.
     *
     * @param fields the fields of a text, without a zone; changed in place
     * @throws InvalidCronException if there is another form to write; the message is the end of a sentence
     */
    static void translate(List<String> fields) {
        if (fields.size() == 7) {
            throw new InvalidCronException(
                    "it has 7 fields, and five or six are needed; leave out the seventh, since years can't be named");
        }
        if (fields.size() != 5 && fields.size() != 6) {
            return;
        }
        int monthDay = fields.size() - 3;
        int weekday = fields.size() - 1;
        each(fields.get(monthDay)).forEach(CronDialect::monthDay);
        each(fields.get(weekday)).forEach(CronDialect::weekday);
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).equals("?")) {
                if (i != monthDay && i != weekday) {
                    throw new InvalidCronException("a '?' can only be its day of month or day of week; write '*'");
                }
                each(fields.get(weekday)).forEach(CronDialect::named);
                fields.set(i, "*");
            }
        }
    }

    /**
     * Refuses six fields that mean other days in Spring, from where such texts mostly come: there, a day matches if both
     * day fields name it, and steps through a week begin with Monday. Five fields have one meaning everywhere.
     *
     * @param restrictsBoth whether both day fields restrict the days
     * @throws InvalidCronException if there is such a difference; the message is the end of a sentence
     */
    static void refuseOtherDaysInSpring(List<String> six, boolean restrictsBoth) {
        for (String each : each(six.get(5))) {
            Matcher step = WEEK_IN_STEPS.matcher(each);
            if (step.matches() && Integer.parseInt(step.group(1)) > 1) {
                throw new InvalidCronException("the steps of its day of week '" + each
                        + "' begin with Sunday in Ruby and with Monday in Spring; name the days, as in '"
                        + weekdays(0, step.group(1)) + "' or '" + weekdays(1, step.group(1)) + "'");
            }
            if (ONLY_SUNDAY.matcher(each).matches()) {
                throw new InvalidCronException(
                        "its day of week '" + each + "' is Sunday in Ruby and every day in Spring; write 'sun' or '*'");
            }
        }
        if (restrictsBoth) {
            String monthDay = six.get(3).toLowerCase(Locale.ROOT);
            String weekday = six.get(5).toLowerCase(Locale.ROOT);
            throw new InvalidCronException("its day of month '" + monthDay + "' and its day of week '" + weekday
                    + "' mean the days that either names in Ruby, and those that both name in Spring; for either, "
                    + (six.get(0).equals("0")
                            ? "write five fields, as in '" + String.join(" ", six.subList(1, 6)) + "'"
                            : "declare two jobs")
                    + "; for both, " + both(monthDay, weekday));
        }
    }

    private static String weekdays(int first, String step) {
        return IntStream.iterate(first, day -> day < first + 7, day -> day + Integer.parseInt(step))
                .mapToObj(day -> WEEKDAYS.get(day % 7))
                .collect(Collectors.joining(","));
    }

    /** What means the days that both fields name. */
    private static String both(String monthDay, String weekday) {
        int week = WEEKS.indexOf(monthDay) + 1;
        return week > 0 && WEEKDAY.matcher(weekday).matches()
                ? "write '*' and '" + weekday + "#" + week + "'"
                : "name one of them, and let the job check the date";
    }

    /** Whether a word is Quartz's form of a month's last weekday, such as {@code FRIL}, and not the name of a zone. */
    static boolean isLastWeekday(String word) {
        return LAST_WEEKDAY.matcher(word.toLowerCase(Locale.ROOT)).matches();
    }

    private static List<String> each(String field) {
        return List.of(field.toLowerCase(Locale.ROOT).split(",", -1));
    }

    private static void monthDay(String day) {
        Matcher beforeLast = DAY_BEFORE_LAST.matcher(day);
        if (beforeLast.matches()) {
            int fromEnd = Integer.parseInt(beforeLast.group(1)) + 1;
            throw new InvalidCronException("its day of month '" + day + "' is not valid; write '-" + fromEnd + "'");
        }
        if (day.endsWith("w")) {
            throw new InvalidCronException(
                    "its day of month '" + day
                            + "' is not valid: a nearest weekday can't be named; let the job run on each of the days, and check the date");
        }
    }

    private static void weekday(String day) {
        Matcher last = LAST_WEEKDAY.matcher(day);
        if (last.matches()) {
            String name = last.group(1);
            boolean isName = !Character.isDigit(name.charAt(0));
            throw new InvalidCronException("its day of week '" + day + "' is not valid; write "
                    + (isName ? "'" + name + "#L'" : "the day's name, as in 'fri#L'"));
        }
    }

    /** Quartz, which wants a {@code ?}, takes 1 for Sunday; Unix, Spring and Ruby take it for Monday. */
    private static void named(String day) {
        if (!day.isEmpty() && Character.isDigit(day.charAt(0))) {
            throw new InvalidCronException("beside '?', its day of week '" + day
                    + "' could mean two days, since Quartz counts from Sunday as 1; write the day's name, as in 'mon'");
        }
    }
}
