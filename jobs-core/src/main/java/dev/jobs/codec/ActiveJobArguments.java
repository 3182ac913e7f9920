package dev.jobs.codec;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.jobs.Internal;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Extracts the arguments from an envelope of Ruby's Active Job. Removes Active Job's marks, which leaves the plain
 * values with which the job was called. Everything else stays unchanged, including objects of unknown serializers.
 */
@Internal
public final class ActiveJobArguments {

    private static final byte[] MARK = "_aj_".getBytes(US_ASCII);
    private static final String RECORD = "_aj_globalid";
    private static final String SERIALIZER = "_aj_serialized";
    private static final String VALUE = "value";

    /** Marks in a Ruby hash, beside its own members. */
    private static final Set<String> MARKS =
            Set.of("_aj_symbol_keys", "_aj_ruby2_keywords", "_aj_hash_with_indifferent_access");

    private static final String SERIALIZERS = "ActiveJob::Serializers::";
    private static final String DURATIONS = SERIALIZERS + "DurationSerializer";

    /** The serializers that write the whole value as text. */
    private static final Set<String> TEXTS = Set.of(
            SERIALIZERS + "SymbolSerializer",
            SERIALIZERS + "TimeSerializer",
            SERIALIZERS + "DateTimeSerializer",
            SERIALIZERS + "TimeWithZoneSerializer",
            SERIALIZERS + "DateSerializer",
            SERIALIZERS + "BigDecimalSerializer");

    /** A float of more seconds has no exact fraction. */
    private static final double MOST_FRACTIONAL_SECONDS = 1e15;

    private ActiveJobArguments() {}

    /**
     * Extracts the arguments of the job inside an envelope, as the text of a JSON array.
     *
     * @param rawArgs the arguments of the envelope: an array of one object
     * @throws ArgumentException if the envelope has no arguments, or they can't be read
     */
    public static byte[] unwrap(byte[] rawArgs) throws ArgumentException {
        try {
            byte[] arguments = arguments(rawArgs);
            if (arguments != null) {
                return contains(arguments, MARK) ? plain(arguments) : arguments;
            }
        } catch (JsonException | Unwritable e) {
            throw new ArgumentException("The arguments that Active Job stored can't be read.");
        }
        throw new ArgumentException("The envelope of Active Job has no array 'arguments'.");
    }

    private static byte @Nullable [] arguments(byte[] rawArgs) throws JsonException {
        JsonScanner scanner = new JsonScanner(rawArgs);
        scanner.expect('[');
        if (scanner.peek() != '{') {
            return null;
        }
        JsonObject envelope = JsonObject.parse(next(scanner, rawArgs));
        return envelope.kind("arguments") == '[' ? envelope.raw("arguments") : null;
    }

    private static boolean contains(byte[] text, byte[] wanted) {
        for (int at = 0; at <= text.length - wanted.length; at++) {
            if (Arrays.equals(text, at, at + wanted.length, wanted, 0, wanted.length)) {
                return true;
            }
        }
        return false;
    }

    private static byte[] plain(byte[] value) throws JsonException {
        JsonBuffer out = new JsonBuffer(value.length);
        write(out, value);
        return out.toBytes();
    }

    /** Reads the text of the next value. */
    private static byte[] next(JsonScanner scanner, byte[] text) throws JsonException {
        scanner.peek();
        int from = scanner.position();
        scanner.value(0);
        return Arrays.copyOfRange(text, from, scanner.position());
    }

    private static void write(JsonBuffer out, byte[] value) throws JsonException {
        switch (value[0]) {
            case '[' -> writeArray(out, value);
            case '{' -> writeObject(out, value);
            default -> out.raw(value);
        }
    }

    private static void writeArray(JsonBuffer out, byte[] array) throws JsonException {
        JsonScanner scanner = new JsonScanner(array);
        scanner.expect('[');
        out.raw('[');
        if (!scanner.take(']')) {
            write(out, next(scanner, array));
            while (scanner.take(',')) {
                out.raw(',');
                write(out, next(scanner, array));
            }
        }
        out.raw(']');
    }

    private static void writeObject(JsonBuffer out, byte[] text) throws JsonException {
        JsonObject object = JsonObject.parse(text);
        if (object.has(SERIALIZER)) {
            writeSerialized(out, object);
        } else if (object.kind(RECORD) == '"' && object.names().size() == 1) {
            out.raw(raw(object, RECORD));
        } else {
            writeMembers(out, object);
        }
    }

    private static void writeMembers(JsonBuffer out, JsonObject object) throws JsonException {
        char before = '{';
        for (String name : object.names()) {
            if (!MARKS.contains(name)) {
                out.raw(before);
                out.string(name);
                out.raw(':');
                write(out, raw(object, name));
                before = ',';
            }
        }
        if (before == '{') {
            out.raw('{');
        }
        out.raw('}');
    }

    private static void writeSerialized(JsonBuffer out, JsonObject object) {
        Object serializer = object.get(SERIALIZER);
        if (TEXTS.contains(String.valueOf(serializer)) && object.kind(VALUE) == '"') {
            out.raw(raw(object, VALUE));
            return;
        }
        Duration duration = DURATIONS.equals(serializer) ? duration(object.get(VALUE)) : null;
        if (duration != null) {
            out.string(duration.toString());
        } else {
            out.raw(object.bytes());
        }
    }

    private static @Nullable Duration duration(@Nullable Object seconds) {
        if (seconds instanceof Long whole) {
            return Duration.ofSeconds(whole);
        }
        if (seconds instanceof Double number && Math.abs(number) < MOST_FRACTIONAL_SECONDS) {
            BigDecimal exact = BigDecimal.valueOf(number); // keeps the digits that Ruby wrote
            return Duration.ofSeconds(exact.longValue())
                    .plusNanos(exact.remainder(BigDecimal.ONE).movePointRight(9).longValue());
        }
        return null;
    }

    private static byte[] raw(JsonObject object, String name) {
        byte[] value = object.raw(name);
        if (value == null) {
            throw new IllegalStateException("The object has no member '" + name + "'");
        }
        return value;
    }
}
