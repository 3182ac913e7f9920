package dev.jobs.codec;

import dev.jobs.Internal;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes plain values as JSON text, byte for byte as Ruby's generator does, and refuses values that Ruby could not
 * read.
 *
 * <p>Plain values are null, text, booleans, numbers, collections, object arrays, {@link Optional} (its value or null),
 * maps with text keys, and {@link RawJson}. A {@link BigDecimal} becomes text in plain notation, which is exact for
 * every reader.
 */
@Internal
public final class JsonText {

    /** The maximum nesting depth in containers, the outermost included. */
    static final int MAX_DEPTH = 100;

    private JsonText() {}

    /**
     * Encodes one plain value.
     *
     * @throws JsonException if a value inside it has no JSON form
     */
    public static byte[] encode(@Nullable Object value) throws JsonException {
        JsonBuffer out = new JsonBuffer(256);
        try {
            write(out, value, 0);
        } catch (Unwritable e) {
            throw refused(e);
        }
        return out.toBytes();
    }

    /**
     * Encodes one plain value that {@link #decode} returns again: whole numbers as a Long or BigInteger, others as a
     * Double.
     *
     * @throws JsonException if a value inside it has no JSON form, or would be read as something else: a BigDecimal as
     *     text, a set as a list
     */
    public static byte[] encodeSame(@Nullable Object value) throws JsonException {
        byte[] json = encode(value);
        String difference = difference(value, decode(json));
        if (difference != null) {
            throw new JsonException("The value can't be stored: it has " + difference
                    + "; use text, numbers, booleans, lists and maps with text keys");
        }
        return json;
    }

    private static @Nullable String difference(@Nullable Object value, @Nullable Object read) {
        if (value instanceof List<?> list && read instanceof List<?> other) {
            for (int i = 0; i < list.size(); i++) {
                String difference = difference(list.get(i), other.get(i));
                if (difference != null) {
                    return difference;
                }
            }
            return null;
        }
        if (value instanceof Map<?, ?> map && read instanceof Map<?, ?> other) {
            for (Map.Entry<?, ?> member : map.entrySet()) {
                String difference = difference(member.getValue(), other.get(member.getKey()));
                if (difference != null) {
                    return difference;
                }
            }
            return null;
        }
        boolean number = value instanceof Number && !(value instanceof BigDecimal) && read instanceof Number;
        return number || Objects.equals(value, read) ? null : name(value) + ", which would be read as " + name(read);
    }

    private static String name(@Nullable Object value) {
        return value == null ? "null" : "a " + value.getClass().getTypeName();
    }

    /**
     * Decodes the text of one value: text, Long or BigInteger, Double, Boolean, an ArrayList, a LinkedHashMap, or null.
     *
     * @throws JsonException if the text is not JSON
     */
    public static @Nullable Object decode(byte[] text) throws JsonException {
        JsonScanner scanner = new JsonScanner(text);
        scanner.value(0);
        if (scanner.more()) {
            throw scanner.malformed("more text after the value", scanner.position());
        }
        return JsonReader.read(text, 0);
    }

    /** Replaces each unpaired surrogate in the text by U+FFFD, as Ruby does. */
    public static String wellFormed(String text) {
        int plain = 0;
        while (plain < text.length() && !Character.isSurrogate(text.charAt(plain))) {
            plain++; // without a stream, because each line of a backtrace is checked
        }
        if (plain == text.length() || text.codePoints().noneMatch(JsonText::isHalf)) {
            return text;
        }
        return text.codePoints()
                .map(c -> isHalf(c) ? 0xfffd : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static boolean isHalf(int codePoint) {
        return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
    }

    /** Appends a value, enclosed by the given number of containers. */
    static void write(JsonBuffer out, @Nullable Object value, int depth) {
        if (value == null) {
            out.nullValue();
        } else if (value instanceof CharSequence || value instanceof Character) {
            out.string(value.toString());
        } else if (value instanceof Boolean bool) {
            out.bool(bool);
        } else if (value instanceof Number number) {
            number(out, number);
        } else if (value instanceof Map<?, ?> map) {
            object(out, map, deeper(depth));
        } else if (value instanceof Collection<?> collection) {
            array(out, collection, deeper(depth));
        } else if (value instanceof Object[] array) {
            array(out, Arrays.asList(array), deeper(depth));
        } else if (value instanceof Optional<?> optional) {
            write(out, optional.orElse(null), depth);
        } else if (value instanceof RawJson json) {
            out.raw(json.bytes());
        } else {
            throw unsupported(value);
        }
    }

    static JsonException refused(Unwritable e) {
        String path = JsonPath.shown(e.path());
        return new JsonException((path.isEmpty() ? "The value" : path) + " can't be stored: " + e.reason() + ".");
    }

    /** Whether a value can be written without inspecting parts of it. */
    static boolean isScalar(@Nullable Object value) {
        return value == null
                || value instanceof String
                || value instanceof Boolean
                || value instanceof Number number && isPlain(number)
                || value instanceof RawJson;
    }

    private static boolean isPlain(Number number) {
        return isInteger(number)
                || number instanceof Double
                || number instanceof Float
                || number instanceof BigInteger
                || number instanceof BigDecimal;
    }

    private static boolean isInteger(Number number) {
        return number instanceof Long || number instanceof Integer || number instanceof Short || number instanceof Byte;
    }

    private static void number(JsonBuffer out, Number number) {
        if (isInteger(number)) {
            out.number(number.longValue());
        } else if (number instanceof Double value) {
            out.number(value.doubleValue());
        } else if (number instanceof Float value) {
            out.number(value.floatValue());
        } else if (number instanceof BigInteger value) {
            out.number(value);
        } else if (number instanceof BigDecimal value) {
            out.number(value);
        } else {
            throw unsupported(number);
        }
    }

    private static void array(JsonBuffer out, Collection<?> values, int depth) {
        out.raw('[');
        int index = 0;
        for (Object value : values) {
            if (index > 0) {
                out.raw(',');
            }
            try {
                write(out, value, depth);
            } catch (Unwritable e) {
                throw e.inside(index);
            }
            index++;
        }
        out.raw(']');
    }

    private static void object(JsonBuffer out, Map<?, ?> members, int depth) {
        out.raw('{');
        boolean first = true;
        for (Map.Entry<?, ?> member : members.entrySet()) {
            if (!(member.getKey() instanceof String name)) {
                throw new Unwritable("a map needs text as keys; convert the keys first");
            }
            if (!first) {
                out.raw(',');
            }
            first = false;
            try {
                out.string(name);
                out.raw(':');
                write(out, member.getValue(), depth);
            } catch (Unwritable e) {
                throw e.inside(name);
            }
        }
        out.raw('}');
    }

    private static int deeper(int depth) {
        if (depth >= MAX_DEPTH) {
            throw tooDeep();
        }
        return depth + 1;
    }

    static Unwritable tooDeep() {
        return new Unwritable("it is nested deeper than " + MAX_DEPTH + " levels, payload and args included, or "
                + "contains itself; store the data elsewhere and pass a reference to it");
    }

    private static Unwritable unsupported(Object value) {
        return new Unwritable(value.getClass().getName() + " is not a plain JSON value; convert it to text, a number, "
                + "a list or a map first");
    }
}
