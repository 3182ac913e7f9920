package dev.jobs.recurring;

import dev.jobs.JobAnnotations;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The multiples of a time since 1970. As a text it is {@code @every 1h30m}, which Ruby takes for no schedule at all.
 *
 * @param seconds from one slot to the next
 */
record FixedRate(long seconds) implements Times {

    static final String PREFIX = "@every";

    private static final long MOST_SECONDS = Duration.ofDays(365).toSeconds();

    /** @throws InvalidCronException if it is not whole seconds from 1 second to 365 days */
    static FixedRate of(Duration time) {
        if (time.getNano() != 0 || time.toSeconds() < 1 || time.toSeconds() > MOST_SECONDS) {
            throw new InvalidCronException(
                    "The time of a fixed rate or delay must be whole seconds, 1 second to 365 days, but was " + time);
        }
        return new FixedRate(time.toSeconds());
    }

    /** Whether a text means to be a fixed rate, or a delay. */
    static boolean is(String prefix, String text) {
        String stripped = text.strip();
        return stripped.equals(prefix) || stripped.startsWith(prefix + " ") || stripped.startsWith(prefix + "\t");
    }

    /**
     * @param text one that means to be a fixed rate, or a delay
     * @param zone empty if the caller named none
     * @throws InvalidCronException if it is none; the message is the end of a sentence
     */
    static FixedRate parse(String prefix, String text, String zone) {
        if (!zone.isEmpty()) {
            throw new InvalidCronException(
                    "a fixed rate or delay has no time zone; leave the zone out, or write cron fields");
        }
        try {
            return of(JobAnnotations.duration(
                    text.strip().substring(prefix.length()).strip()));
        } catch (DateTimeException | ArithmeticException | InvalidCronException e) {
            throw new InvalidCronException(
                    "behind " + prefix
                            + " it needs whole seconds from 1s to 365d, as numbers with h, m and s or one with d,"
                            + " such as 90s or 1h30m",
                    e);
        }
    }

    String text() {
        return text(PREFIX);
    }

    String text(String prefix) {
        return prefix + " "
                + Duration.ofSeconds(seconds)
                        .toString()
                        .substring("PT".length())
                        .toLowerCase(Locale.ROOT);
    }

    @Override
    public Instant next(Instant after) {
        return Instant.ofEpochSecond((Math.floorDiv(after.getEpochSecond(), seconds) + 1) * seconds);
    }

    @Override
    public Instant atOrBefore(Instant time) {
        return Instant.ofEpochSecond(Math.floorDiv(time.getEpochSecond(), seconds) * seconds);
    }

    @Override
    public @Nullable Instant repeated(Instant slot) {
        return null;
    }
}
