package dev.jobs.limits;

import dev.jobs.Internal;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a limit, for each of its keys.
 *
 * @param concurrency how many jobs may run at once; null for any number
 * @param rate how many may start in a time; null for any number
 */
@Internal
public record LimitNumbers(
        @Nullable Integer concurrency, @Nullable LimitRate rate) {

    private static final Pattern STORED =
            Pattern.compile("(\\d{1,9}|-)(?: ([1-9]\\d{0,8}) (\\d{1,18}) ([1-9]\\d{0,8}))?");

    /** No limit. */
    public static final LimitNumbers NONE = new LimitNumbers(null, null);

    /** Only so many at once. */
    public static LimitNumbers atOnce(int concurrency) {
        return new LimitNumbers(concurrency, null);
    }

    /** These, and what they don't say as the other ones say it. */
    public LimitNumbers or(LimitNumbers other) {
        return new LimitNumbers(
                concurrency == null ? other.concurrency : concurrency, rate == null ? other.rate : rate);
    }

    /** Those of both that let fewer jobs run. */
    LimitNumbers orLower(LimitNumbers other) {
        LimitNumbers all = or(other);
        Integer some = all.concurrency;
        LimitRate its = all.rate;
        return new LimitNumbers(
                some == null || other.concurrency == null ? some : (Integer) Math.min(some, other.concurrency),
                its == null || other.rate == null ? its : its.orSlower(other.rate));
    }

    /** As scripts know them. */
    String stored() {
        String permits = concurrency == null ? "-" : concurrency.toString();
        return rate == null ? permits : permits + " " + stored(rate);
    }

    /** A rate as scripts know it. */
    static String stored(LimitRate rate) {
        return rate.jobs() + " " + rate.per().toNanos() / 1_000 + " " + rate.burst();
    }

    /** What is stored; {@link #NONE} if it is something else. */
    static LimitNumbers of(String stored) {
        Matcher parts = STORED.matcher(stored);
        if (!parts.matches()) {
            return NONE;
        }
        return new LimitNumbers(
                parts.group(1).equals("-") ? null : Integer.valueOf(parts.group(1)),
                parts.group(2) == null ? null : rate(parts));
    }

    private static @Nullable LimitRate rate(Matcher parts) {
        try {
            return new LimitRate(
                    Integer.parseInt(parts.group(2)),
                    Duration.of(Long.parseLong(parts.group(3)), ChronoUnit.MICROS),
                    Integer.parseInt(parts.group(4)));
        } catch (IllegalArgumentException e) {
            return null; // another program wrote it
        }
    }
}
