package dev.jobs.codec;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Times in the formats that Ruby writes for people, exact to the second. */
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
