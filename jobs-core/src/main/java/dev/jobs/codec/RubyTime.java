package dev.jobs.codec;

import dev.jobs.Internal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Times as Ruby writes them: for people as text, exact to the second, and for programs as floating-point seconds since
 * 1970.
 */
@Internal
public final class RubyTime {

    private static final DateTimeFormatter WITH_OFFSET =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss Z", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter IN_UTC = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final List<DateTimeFormatter> FORMS =
            List.of(WITH_OFFSET, IN_UTC, DateTimeFormatter.ISO_OFFSET_DATE_TIME);

    private RubyTime() {}

    /** Formats a time like {@code 2026-11-21 05:21:11 +0000}. */
    public static String withOffset(Instant time) {
        return WITH_OFFSET.format(time);
    }

    /** Formats a time like {@code 2026-11-21 05:21:11 UTC}. */
    public static String inUtc(Instant time) {
        return IN_UTC.format(time);
    }

    /** The time in seconds since 1970, exact to a quarter of a microsecond for today's times. */
    public static double seconds(Instant time) {
        return time.getEpochSecond() + time.getNano() / 1e9;
    }

    /**
     * A time in seconds since 1970, to the microsecond; null if it is beyond the range of {@link Instant}, or no
     * number.
     */
    public static @Nullable Instant ofSeconds(double seconds) {
        // The last second itself has no double representation: the nearest double lies beyond it.
        if (!(seconds >= Instant.MIN.getEpochSecond() && seconds < Instant.MAX.getEpochSecond())) {
            return null;
        }
        double whole = Math.floor(seconds);
        // a double holds today's seconds to a quarter of a microsecond, so more digits would be noise
        return Instant.ofEpochSecond((long) whole, Math.round((seconds - whole) * 1e6) * 1_000);
    }

    /** Parses a time in one of these formats or in ISO 8601; null if the text is in none of them. */
    public static @Nullable Instant parse(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return null;
        }
        for (DateTimeFormatter form : FORMS) {
            try {
                return form.parse(text, Instant::from);
            } catch (DateTimeException e) {
                // try the next format
            }
        }
        return null;
    }
}
