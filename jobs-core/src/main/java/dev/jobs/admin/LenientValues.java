package dev.jobs.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonObject;
import dev.jobs.codec.RubyTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads values that any program may have written: a value of an unexpected kind is empty, 0 or null, never an error.
 */
@Internal
public final class LenientValues {

    private LenientValues() {}

    static @Nullable JsonObject object(byte[] json) {
        try {
            return JsonObject.parse(json);
        } catch (JsonException e) {
            return null;
        }
    }

    static @Nullable JsonObject object(@Nullable String json) {
        return json == null ? null : object(json.getBytes(UTF_8));
    }

    static String text(@Nullable Object value) {
        return value instanceof String text ? text : "";
    }

    /** Those that are texts. */
    public static List<String> texts(@Nullable Object value) {
        List<String> texts = new ArrayList<>();
        if (value instanceof List<?> list) {
            list.forEach(each -> {
                if (each instanceof String text) {
                    texts.add(text);
                }
            });
        }
        return texts;
    }

    static Map<?, ?> map(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? map : Map.of();
    }

    /** A count: a whole number, as number or text, not below 0. */
    public static long count(@Nullable Object value) {
        double number = number(value);
        return number > 0 ? (long) number : 0; // a double too large becomes the largest long
    }

    public static int smallCount(@Nullable Object value) {
        return (int) Math.min(count(value), Integer.MAX_VALUE);
    }

    /** Seconds since 1970, as number or text. */
    static @Nullable Instant time(@Nullable Object value) {
        return RubyTime.ofSeconds(number(value));
    }

    private static double number(@Nullable Object value) {
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        try {
            return value instanceof String text ? Double.parseDouble(text) : Double.NaN;
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }
}
