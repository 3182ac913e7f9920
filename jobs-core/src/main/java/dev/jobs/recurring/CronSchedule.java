package dev.jobs.recurring;

import dev.jobs.Job;
import dev.jobs.JobDefinition;
import dev.jobs.codec.OneLine;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The times that a cron text names, called the slots of a recurring job. Immutable and safe for use by many threads.
 *
 * <p>A text has five fields (minute, hour, day of month, month, day of week), or six with the seconds first, and may
 * end with a time zone; the default is UTC. Fields hold numbers, lists ({@code 1,15}), ranges ({@code 9-17},
 * {@code fri-mon}), steps ({@code *}{@code /5}), and three-letter names of months and weekdays; Sunday is 0 and 7.
 * {@code L} is the last day of a month and {@code -2} the one before, {@code mon#1} the first Monday and {@code fri#L}
 * the last Friday. If both day fields are restricted, a day matches if either field names it; with six fields Spring
 * takes the days that both name, so such a text is refused with what to write instead. {@code @hourly},
 * {@code @daily}, {@code @midnight}, {@code @noon}, {@code @weekly}, {@code @monthly} and {@code @yearly} stand for
 * five fields. sidekiq-cron reads every such text, too. In a day field {@code ?}, as Quartz writes it, stands for
 * {@code *}, which is stored instead; weekdays beside it need names, since Quartz numbers them otherwise.
 *
 * <p>{@code @every 90s} is a fixed rate and {@code @delay 90s} a fixed delay, of which Ruby knows nothing: see
 * {@link Recurrence#every} and {@link Recurrence#delay}. The slots of a delay that depend on the end of a job are where
 * they would be if it ended now.
 *
 * <p>When clocks change, a job that names hours runs once for each time that it names. Times that clocks skip run at
 * the end of the gap, once even if several fall into it; times that clocks show twice run the first time. A job that
 * names no hour, such as {@code 30 * * * *}, runs whenever a clock shows such a minute, so that an hourly job stays
 * hourly.
 */
public final class CronSchedule {

    private static final int MOST_SLOTS = 100;
    private static final int MOST_CHARACTERS = 500;

    private static final Map<String, String> MACROS = Map.of(
            "@hourly", "0 * * * *",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@noon", "0 12 * * *",
            "@weekly", "0 0 * * 0",
            "@monthly", "0 0 1 * *",
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *");

    /** A word that is not a field: the name of a zone, or an offset. */
    private static final Pattern ZONE =
            Pattern.compile("[A-Z][A-Za-z0-9+_-]+(/[A-Z][A-Za-z0-9+_-]+)*|[+-][0-9]{2}:?[0-9]{2}");

    private final String text;
    private final Times times;
    private final ZoneId zone;
    private final boolean namesZone;

    private CronSchedule(String text, Times times, ZoneId zone, boolean namesZone) {
        this.text = text;
        this.times = times;
        this.zone = zone;
        this.namesZone = namesZone;
    }

    /** When a job is enqueued automatically, as {@link Job#cron()} says; null if never. */
    public static @Nullable CronSchedule of(JobDefinition job) {
        return CronRules.schedule(job);
    }

    /**
     * Reads a cron text, in UTC unless it ends with a time zone.
     *
     * @throws InvalidCronException if the text is invalid, names a day that no month has, or has six fields that mean
     *     other times in Spring
     */
    public static CronSchedule parse(String cron) {
        return parse(cron, null);
    }

    /**
     * Reads a cron text and its time zone.
     *
     * @param zone such as {@code Europe/Berlin}; empty or null if the text itself ends with one or means UTC
     * @throws InvalidCronException if one of them is wrong, or if both name a zone
     */
    public static CronSchedule parse(String cron, @Nullable String zone) {
        return parse(cron, zone, false);
    }

    /**
     * Reads a text that is stored. sidekiq-cron reads it as well, so what it means there is what it means.
     *
     * @param due the next slot of a fixed delay, if it is known
     */
    static CronSchedule ofStored(String cron, @Nullable Instant due) {
        CronSchedule schedule = parse(cron, null, true);
        return due != null && schedule.times instanceof FixedDelay delay
                ? new CronSchedule(schedule.text, new FixedDelay(delay.seconds(), due), schedule.zone, true)
                : schedule;
    }

    /** Whether cron fields name the slots, so that a zone matters. */
    boolean isCron() {
        return times instanceof CronTimes;
    }

    /** Whether slots are counted from the ends of jobs, as in {@code @delay 1h}. */
    public boolean isDelay() {
        return times instanceof FixedDelay;
    }

    private static CronSchedule parse(String cron, @Nullable String zone, boolean stored) {
        String given = zone == null ? "" : zone.strip();
        try {
            return read(cron, given, stored);
        } catch (InvalidCronException e) {
            String shown =
                    "'" + OneLine.of(cron) + "'" + (given.isEmpty() ? "" : " in zone '" + OneLine.of(given) + "'");
            throw new InvalidCronException("The cron text " + shown + " can't be used: " + e.getMessage(), e);
        }
    }

    private static CronSchedule read(String cron, String given, boolean stored) {
        if (cron.length() > MOST_CHARACTERS) {
            throw new InvalidCronException("it has more than " + MOST_CHARACTERS + " characters");
        }
        if (FixedRate.is(FixedRate.PREFIX, cron)) {
            FixedRate rate = FixedRate.parse(FixedRate.PREFIX, cron, given);
            return new CronSchedule(rate.text(), rate, ZoneOffset.UTC, true);
        }
        if (FixedRate.is(FixedDelay.PREFIX, cron)) {
            FixedRate rate = FixedRate.parse(FixedDelay.PREFIX, cron, given);
            FixedDelay delay = new FixedDelay(rate.seconds(), null);
            return new CronSchedule(rate.text(FixedDelay.PREFIX), delay, ZoneOffset.UTC, true);
        }
        List<String> words = new ArrayList<>(Arrays.asList(cron.strip().split("[ \t]+")));
        String last = words.get(words.size() - 1);
        String zone = given;
        boolean macro = words.get(0).startsWith("@");
        if (words.size() > (macro ? 1 : 5) && ZONE.matcher(last).matches() && (macro || !isWeekday(last))) {
            if (!given.isEmpty()) {
                throw new InvalidCronException("it names a zone itself");
            }
            zone = words.remove(words.size() - 1);
        }
        CronDialect.translate(words);
        String expression = String.join(" ", words);
        if (macro && words.size() == 1) {
            String meaning = MACROS.get(words.get(0));
            if (meaning == null) {
                throw new InvalidCronException("it is none of @hourly, @daily, @noon, @weekly, @monthly and @yearly");
            }
            words = new ArrayList<>(List.of(meaning.split(" ")));
            // Older versions of sidekiq-cron don't accept a zone after a macro.
            expression = zone.isEmpty() ? expression : meaning;
        }
        if (words.size() != 5 && words.size() != 6) {
            throw new InvalidCronException("it has " + words.size() + " fields, and five or six are needed");
        }
        boolean six = words.size() == 6;
        if (!six) {
            words.add(0, "0");
        }
        CronFields fields = CronFields.parse(words.toArray(String[]::new));
        if (six && !stored) {
            CronDialect.refuseOtherDaysInSpring(words, fields.restrictsBothDays());
        }
        ZoneId id = zone.isEmpty() ? ZoneOffset.UTC : zoneOf(zone);
        Times times = new CronTimes(fields, id);
        return zone.isEmpty()
                ? new CronSchedule(expression, times, id, false)
                : new CronSchedule(expression + " " + zone, times, id, true);
    }

    /** A weekday may look like a zone, but no zone has the name of a weekday. */
    private static boolean isWeekday(String word) {
        try {
            CronDays.parse("*", "*", word);
            return true;
        } catch (InvalidCronException e) {
            return CronDialect.isLastWeekday(word);
        }
    }

    private static ZoneId zoneOf(String name) {
        try {
            if (ZONE.matcher(name).matches()) {
                return ZoneId.of(name);
            }
        } catch (DateTimeException e) {
            throw new InvalidCronException(unknownZone(name), e);
        }
        throw new InvalidCronException(unknownZone(name));
    }

    private static String unknownZone(String name) {
        return "there is no time zone '" + OneLine.of(name) + "'; name one as in Europe/Berlin, or UTC";
    }

    /** The text to store: its fields separated by one space, with the zone at the end if one was given. */
    public String text() {
        return text;
    }

    /** The time zone, UTC by default. */
    public ZoneId zone() {
        return zone;
    }

    /** Whether the text or the caller named the zone. */
    public boolean namesZone() {
        return namesZone;
    }

    /** The first slot after a time. */
    public Instant next(Instant after) {
        return times.next(after);
    }

    /**
     * The first slots after a time.
     *
     * @param count 1 to 100
     */
    public List<Instant> next(Instant after, int count) {
        if (count < 1 || count > MOST_SLOTS) {
            throw new IllegalArgumentException("'count' must be 1 to " + MOST_SLOTS + " but was " + count);
        }
        List<Instant> found = new ArrayList<>(count);
        for (Instant slot = next(after); found.size() < count; slot = next(slot)) {
            found.add(slot);
        }
        return found;
    }

    /** The last slot at or before a time. */
    public Instant atOrBefore(Instant time) {
        return times.atOrBefore(time);
    }

    /** The slot that counts as taken when a recurring job begins; null for a delay, whose slots come after its jobs. */
    @Nullable Instant begins(Instant now) {
        return isDelay() ? null : atOrBefore(now);
    }

    /**
     * The time at which clocks show the time of a slot again, or null. It is not a slot here, but other programs that
     * share the job may treat it as one.
     */
    public @Nullable Instant repeated(Instant slot) {
        return times.repeated(slot);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CronSchedule schedule && text.equals(schedule.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
