package dev.jobs.recurring;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The numbers that one field of a cron text names, as the bits of a long.
 *
 * @param any whether the field is unrestricted, as {@code *} is
 */
record CronField(long bits, boolean any) {

    private static final int HIGHEST_STEP = 99;
    private static final Pattern ELEMENT =
            Pattern.compile("(?:(\\*)|([0-9]{1,2}|[a-z]{3})(?:-([0-9]{1,2}|[a-z]{3}))?)?(?:/([0-9]{1,2}))?");

    /**
     * The kind of a field: its label for messages, its range, and names for its numbers, the first of which means
     * {@code least}.
     */
    enum Kind {
        SECOND("second", 0, 59, List.of()),
        MINUTE("minute", 0, 59, List.of()),
        HOUR("hour", 0, 23, List.of()),
        DAY("day of month", 1, 31, List.of()),
        MONTH(
                "month",
                1,
                12,
                List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")),
        WEEKDAY("day of week", 0, 6, List.of("sun", "mon", "tue", "wed", "thu", "fri", "sat"));

        final String label;
        final int least;
        final int most;
        private final List<String> names;

        Kind(String label, int least, int most, List<String> names) {
            this.label = label;
            this.least = least;
            this.most = most;
            this.names = names;
        }

        /** In two fields the number one above the range means the first number: hour 24 and weekday 7. */
        private boolean wraps() {
            return this == HOUR || this == WEEKDAY;
        }

        int value(String text) {
            int named = names.indexOf(text);
            int value = named >= 0 ? named + least : Character.isDigit(text.charAt(0)) ? Integer.parseInt(text) : -1;
            if (value < least || value > (wraps() ? most + 1 : most)) {
                throw new InvalidCronException("its " + label + " '" + text + "' is not " + range());
            }
            return value;
        }

        private String range() {
            String numbers = least + " to " + most;
            return names.isEmpty() ? numbers : numbers + " or " + names.get(0) + " to " + names.get(names.size() - 1);
        }
    }

    /**
     * Reads a list such as {@code 1-5,10,20/5}.
     *
     * @throws InvalidCronException if the field is invalid; the message is the end of a sentence
     */
    static CronField parse(Kind kind, String text) {
        long bits = 0;
        boolean any = false;
        for (String element : text.toLowerCase(Locale.ROOT).split(",", -1)) {
            CronField one = element(kind, element);
            bits |= one.bits;
            any |= one.any;
        }
        return new CronField(bits, any);
    }

    private static CronField element(Kind kind, String text) {
        Matcher parts = ELEMENT.matcher(text);
        if (text.isEmpty() || !parts.matches()) {
            throw new InvalidCronException("its " + kind.label + " '" + text + "' is not valid");
        }
        int step = parts.group(4) == null ? 1 : Integer.parseInt(parts.group(4));
        if (step < 1) {
            throw new InvalidCronException(
                    "its " + kind.label + " '" + text + "' has a step that is not 1 to " + HIGHEST_STEP);
        }
        boolean hasStep = parts.group(4) != null;
        int first = kind.least;
        int last = kind.most;
        if (parts.group(2) != null) {
            first = kind.value(parts.group(2));
            last = parts.group(3) != null ? kind.value(parts.group(3)) : hasStep ? kind.most : first;
            if (hasStep && parts.group(3) == null && kind == Kind.WEEKDAY) {
                // Some programs read it as a list, others as one day.
                throw new InvalidCronException("its " + kind.label + " '" + text + "' has a step but no last day");
            }
        }
        int size = kind.most - kind.least + 1;
        int length = last - first + (last < first ? size : 0);
        long bits = 0;
        for (int i = 0; i <= length; i += step) {
            int value = kind.least + (first - kind.least + i) % size;
            bits |= 1L << value;
        }
        boolean all = first == kind.least && last == kind.most && step == 1;
        return new CronField(bits, all && (kind != Kind.WEEKDAY || text.equals("*")));
    }

    boolean has(int value) {
        return (bits & 1L << value) != 0;
    }

    /** The lowest number at or above the given one, or -1. */
    int atOrAfter(int value) {
        long rest = value > 63 ? 0 : bits & -1L << value;
        return rest == 0 ? -1 : Long.numberOfTrailingZeros(rest);
    }

    /** The highest number at or below the given one, or -1. */
    int atOrBefore(int value) {
        long rest = value < 0 ? 0 : bits & -1L >>> 63 - value;
        return rest == 0 ? -1 : 63 - Long.numberOfLeadingZeros(rest);
    }
}
