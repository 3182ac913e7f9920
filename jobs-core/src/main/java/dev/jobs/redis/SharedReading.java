package dev.jobs.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** What gauges show, which one process reads for all. Thread-safe. */
public final class SharedReading {

    /** The number is that of the format: another one has a key of its own. */
    private static final String KEY = "jobs:gauges:1";

    private static final Duration FRESH = Duration.ofMillis(4_500);

    /** How long a process may take, before another one does it. */
    private static final Duration TAKES = Duration.ofSeconds(10);

    private static final Duration KEPT = Duration.ofMinutes(1);

    private final RedisConnection connection;
    private final byte[] key;

    public SharedReading(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.key = keys.key(KEY);
    }

    /**
     * The last reading.
     *
     * @param text empty if there is none
     * @param at when it was stored, by the server's clock
     * @param age how long ago that was
     * @param mine whether the caller has to make the next one, and store it
     */
    public record Last(byte[] text, Instant at, Duration age, boolean mine) {}

    public Last last() {
        List<Object> answer = connection.call(LuaScript.GAUGES, keys(), bounds());
        return new Last(
                (byte[]) answer.get(0),
                Instant.ofEpochMilli(Bytes.number(answer.get(1))),
                Duration.ofMillis(Bytes.number(answer.get(2))),
                Bytes.number(answer.get(3)) == 1);
    }

    /** Stores a reading for all. Returns when, by the server's clock. */
    public Instant store(byte[] text) {
        byte[][] bounds = bounds();
        List<Object> answer =
                connection.call(LuaScript.GAUGES, keys(), new byte[][] {bounds[0], bounds[1], bounds[2], text});
        return Instant.ofEpochMilli(Bytes.number(answer.get(1)));
    }

    private byte[][] keys() {
        return new byte[][] {key};
    }

    private static byte[][] bounds() {
        return new byte[][] {Bytes.of(FRESH.toMillis()), Bytes.of(TAKES.toMillis()), Bytes.of(KEPT.toMillis())};
    }
}
