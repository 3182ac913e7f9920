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

    private Shown() {}

    public static @Nullable Long millis(@Nullable Instant time) {
        try {
            return time == null ? null : time.toEpochMilli();
        } catch (ArithmeticException e) {
            return null; // a year that only Instant can represent
        }
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
