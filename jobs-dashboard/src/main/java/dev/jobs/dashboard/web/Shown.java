package dev.jobs.dashboard.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonText;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Values as answers have them: texts cut, times in milliseconds. */
@Internal
public final class Shown {

    /** The year 1. */
    private static final Instant FIRST = Instant.ofEpochMilli(-62_135_596_800_000L);

    /** The end of the year 9999. */
    private static final Instant LAST = Instant.ofEpochMilli(253_402_300_799_999L);

    private Shown() {}

    /**
     * Null for a year that has not one to four digits, too: a browser can't make dates of all that an {@code Instant} can
     * be, and one time that it can't show would break the page around it.
     */
    public static @Nullable Long millis(@Nullable Instant time) {
        return time == null || time.isBefore(FIRST) || time.isAfter(LAST) ? null : (Long) time.toEpochMilli();
    }

    /** A value as JSON text. */
    public static byte[] json(@Nullable Object value) {
        try {
            return JsonText.encode(value);
        } catch (JsonException e) {
            return String.valueOf(value).getBytes(UTF_8); // a number beyond the encoder's bounds
        }
    }

    public static String cut(byte[] text, int bytes) {
        return new String(text, 0, Math.min(text.length, bytes), UTF_8);
    }

    public static String cut(String text, int characters) {
        return text.length() <= characters ? text : text.substring(0, characters) + "…";
    }

    public static @Nullable String cutOrNull(@Nullable String text, int characters) {
        return text == null ? null : cut(text, characters);
    }
}
