package dev.jobs;

import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonObject;
import dev.jobs.codec.OneLine;
import dev.jobs.codec.RubyTime;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A job as stored in Redis: a JSON object whose unknown members, member order, number texts and argument bytes survive
 * every edit.
 *
 * <p>Immutable and safe to share between threads. Edits return new payloads. Each read decodes the requested member,
 * and no other. Accessors with a fixed type return null if the member is missing or has another type, since any
 * program may have written the payload.
 */
public final class Payload {

    private static final int MAX_TIME_TEXT = 64;

    private static final Set<String> ENVELOPES =
            Set.of("Sidekiq::ActiveJob::Wrapper", "ActiveJob::QueueAdapters::SidekiqAdapter::JobWrapper");

    private final JsonObject json;

    /** Decoded once, because nearly all that happens to a job asks for it. */
    private @Nullable String name;

    private Payload(JsonObject json) {
        this.json = json;
    }

    /**
     * Reads a payload as it was stored.
     *
     * <p>Accepts comments, as Ruby does. Refuses text after the object, a byte order mark, invalid UTF-8, NaN and
     * Infinity, and nesting deeper than 100 containers (the payload is the first).
     *
     * @param json the stored bytes; the payload keeps the array, so don't change it afterwards
     * @throws InvalidPayloadException if the text is not JSON, or is JSON but not an object
     */
    public static Payload parse(byte[] json) {
        try {
            return new Payload(JsonObject.parse(json));
        } catch (JsonException e) {
            throw new InvalidPayloadException(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Builds a payload from plain values: null, text, booleans, numbers, and collections and maps of these.
     *
     * <p>Writes the text that Ruby's generator would write, with the members in the order of the map. A
     * {@link java.math.BigDecimal} becomes text.
     *
     * @throws InvalidJobException if a value has no JSON form
     */
    public static Payload of(Map<String, ? extends @Nullable Object> members) {
        try {
            return new Payload(JsonObject.of(members));
        } catch (JsonException e) {
            throw new InvalidJobException(String.valueOf(e.getMessage()));
        }
    }

    /**
     * This payload with one member set to a plain value: where it was if the payload has that member, else at the
     * end.
     *
     * @throws InvalidJobException if the value has no JSON form
     */
    public Payload with(String name, @Nullable Object value) {
        try {
            return new Payload(json.with(name, value));
        } catch (JsonException e) {
            throw new InvalidJobException(String.valueOf(e.getMessage()));
        }
    }

    /** This payload without the member of that name. */
    public Payload without(String name) {
        return new Payload(json.without(name));
    }

    /**
     * The text to store, in a new array: the bytes that were read, or after an edit compact JSON in which every
     * unedited member keeps its bytes.
     *
     * <p>Of several members with the same name only the last counts; an edit moves it to where the first one was, as
     * in Ruby.
     */
    public byte[] bytes() {
        return json.bytes();
    }

    /**
     * The text to store of the payload that {@link #with} returns, in less time than it takes to make that payload.
     *
     * @throws InvalidJobException if the value has no JSON form
     */
    public byte[] bytesWith(String name, @Nullable Object value) {
        try {
            return json.bytesWith(name, value);
        } catch (JsonException e) {
            throw new InvalidJobException(String.valueOf(e.getMessage()));
        }
    }

    /** The length of {@link #bytes} in bytes. */
    public int length() {
        return json.length();
    }

    /** Whether the payload has a member of that name, even if its value is null. */
    public boolean has(String name) {
        return json.has(name);
    }

    /** The names of all members, in order. */
    public Set<String> names() {
        return Collections.unmodifiableSet(json.names());
    }

    /**
     * One member as a plain value: text, Long (BigInteger beyond its range), Boolean, List, Map, null if it is null or
     * missing, and Double for any number with a fraction or an exponent, infinite if the number is too large. An
     * integer of more than 1000 digits becomes an infinite Double, too, but keeps its digits in {@link #raw} and
     * through every edit.
     */
    public @Nullable Object get(String name) {
        return json.get(name);
    }

    /** One member if it is text, else null. */
    public @Nullable String text(String name) {
        return json.text(name);
    }

    /** One member if it is a number without fraction and exponent that fits a long, else null. */
    public @Nullable Long integer(String name) {
        return scalar(name) instanceof Long value ? value : null;
    }

    /**
     * One member if it is a point in time, else null: an integer counts milliseconds since 1970, a number with a
     * fraction or an exponent seconds since 1970, and text may be ISO 8601 with an offset.
     */
    public @Nullable Instant time(String name) {
        Object value = scalar(name);
        if (value instanceof Long millis) {
            return Instant.ofEpochMilli(millis);
        }
        if (value instanceof Double seconds) {
            return RubyTime.ofSeconds(seconds);
        }
        return value instanceof String text ? ofText(text) : null;
    }

    /** The JSON text of one member's value, or null if there is none. */
    public byte @Nullable [] raw(String name) {
        return json.raw(name);
    }

    /** The job's id, or null. */
    public @Nullable String jid() {
        return text("jid");
    }

    /** The job's wire name, which is the member {@code class}, or null. */
    public @Nullable String name() {
        String known = name;
        if (known == null) {
            known = text("class");
            name = known;
        }
        return known;
    }

    /** Whether Ruby's Active Job stored the payload, which is then an envelope around the actual job. */
    public boolean isActiveJob() {
        String name = name();
        return name != null && ENVELOPES.contains(name);
    }

    /**
     * The name to show: {@link #name()}, or for an envelope of Ruby's Active Job the name of the job inside, which is
     * the member {@code wrapped}.
     */
    public @Nullable String jobName() {
        String name = name();
        String inside = name != null && ENVELOPES.contains(name) ? text("wrapped") : null;
        return inside == null ? name : inside;
    }

    /** The queue that the payload names, or null. */
    public @Nullable String queue() {
        return text("queue");
    }

    /** Whether the member {@code args} is an array, the only valid form of arguments. */
    public boolean hasArgsArray() {
        return json.kind("args") == '[';
    }

    /** The JSON text of the arguments; an empty array if {@code args} is not an array. */
    public byte[] rawArgs() {
        byte[] raw = hasArgsArray() ? json.raw("args") : null;
        return raw == null ? "[]".getBytes(StandardCharsets.US_ASCII) : raw;
    }

    /** The arguments as plain values; empty if {@code args} is not an array. */
    public List<@Nullable Object> args() {
        return hasArgsArray() && json.get("args") instanceof List<?> list
                ? Collections.unmodifiableList(list)
                : List.of();
    }

    /** All members as plain values, in order. */
    public Map<String, @Nullable Object> asMap() {
        return Collections.unmodifiableMap(json.asMap());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Payload payload && Arrays.equals(bytes(), payload.bytes());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes());
    }

    /** Only the id and the name: arguments may be confidential. */
    @Override
    public String toString() {
        return "Payload[jid=" + OneLine.of(jid()) + ", class=" + OneLine.of(name()) + "]";
    }

    private @Nullable Object scalar(String name) {
        char kind = json.kind(name);
        return kind == '{' || kind == '[' ? null : json.get(name);
    }

    private static @Nullable Instant ofText(String text) {
        if (text.length() > MAX_TIME_TEXT) {
            return null;
        }
        try {
            return DateTimeFormatter.ISO_OFFSET_DATE_TIME.parse(text, Instant::from);
        } catch (DateTimeException e) {
            return null;
        }
    }
}
