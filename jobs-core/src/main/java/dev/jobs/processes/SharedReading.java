package dev.jobs.processes;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Something that all processes would read alike, which one of them reads for all. Thread-safe. */
@Internal
public final class SharedReading {

    static final LuaScript READING = LuaScript.of(SharedReading.class, "reading");

    /** How long a process may take, before another one does it. */
    private static final Duration TAKES = Duration.ofSeconds(10);

    private static final Duration KEPT = Duration.ofMinutes(1);

    /** How old may be what another process read, which may be about to read again. */
    private static final Duration USABLE = Duration.ofSeconds(10);

    private static final Logger log = LoggerFactory.getLogger(SharedReading.class);

    private final String what;
    private final RedisConnection connection;
    private final byte[][] key;
    private final Duration fresh;

    private SharedReading(String what, RedisConnection connection, byte[] key, Duration fresh) {
        this.what = what;
        this.connection = connection;
        this.key = new byte[][] {key};
        this.fresh = fresh;
    }

    /** What gauges show. The number is that of the format: another one has a key of its own. */
    public static SharedReading ofGauges(RedisConnection connection, RedisKeys keys) {
        return new SharedReading(
                "What gauges show", connection, new ProcessKeys(keys).gauges(), Duration.ofMillis(4_500));
    }

    /** The ledger. */
    public static SharedReading ofBooks(RedisConnection connection, RedisKeys keys) {
        return new SharedReading(
                "What was read of the ledger", connection, new ProcessKeys(keys).books(), Duration.ofSeconds(2));
    }

    /** What jobs the workers of all versions know. */
    public static SharedReading ofWorkers(RedisConnection connection, RedisKeys keys) {
        return new SharedReading(
                "What workers publish", connection, new ProcessKeys(keys).workers(), Duration.ofSeconds(2));
    }

    /**
     * What another process read lately; else what is read now, which is stored for others if it is the caller's turn.
     *
     * @param now reads it; empty if it can't be read
     * @param write makes the text for others
     * @param parse reads such a text; empty if it says something else
     */
    public <T> Optional<T> read(
            Supplier<Optional<T>> now, Function<? super T, byte[]> write, Function<byte[], Optional<T>> parse) {
        Last last = last();
        boolean usable = last.exists() && !last.mine() && last.age().compareTo(USABLE) < 0;
        Optional<T> known = usable ? parse.apply(last.text()) : Optional.empty();
        if (known.isPresent()) {
            return known;
        }
        Optional<T> made = now.get();
        if (made.isPresent() && last.mine() && last.shared()) {
            storeIfPossible(write.apply(made.get()));
        }
        return made;
    }

    private void storeIfPossible(byte[] text) {
        if (text.length <= connection.bounds().bytes()) {
            try {
                store(text);
            } catch (JobStoreException e) {
                log.debug("{} could not be stored for others", what, e);
            }
        }
    }

    /**
     * The last reading.
     *
     * @param text empty if there is none
     * @param at when it was stored, by the server's clock
     * @param age how long ago that was
     * @param mine whether the caller has to make the next one
     * @param shared whether to store it for all: not if the key can't be used, as where the caller may not write
     */
    public record Last(byte[] text, Instant at, Duration age, boolean mine, boolean shared) {

        private static final Last ALONE = new Last(new byte[0], Instant.EPOCH, Duration.ZERO, true, false);

        public boolean exists() {
            return text.length > 0;
        }
    }

    /** @throws JobStoreException if Redis can't be asked now */
    public Last last() {
        try {
            List<Object> answer = connection.call(READING, key, bounds());
            return new Last(
                    (byte[]) answer.get(0),
                    Instant.ofEpochMilli(Bytes.number(answer.get(1))),
                    Duration.ofMillis(Bytes.number(answer.get(2))),
                    Bytes.number(answer.get(3)) == 1,
                    true);
        } catch (JobStoreException e) {
            return switch (e.kind()) {
                case WRONG_TYPE, DENIED, OTHER -> Last.ALONE;
                default -> throw e;
            };
        }
    }

    /** Stores a reading for all. Returns when, by the server's clock. */
    public Instant store(byte[] text) {
        byte[][] bounds = bounds();
        List<Object> answer = connection.call(READING, key, new byte[][] {bounds[0], bounds[1], bounds[2], text});
        return Instant.ofEpochMilli(Bytes.number(answer.get(1)));
    }

    private byte[][] bounds() {
        return new byte[][] {Bytes.of(fresh.toMillis()), Bytes.of(TAKES.toMillis()), Bytes.of(KEPT.toMillis())};
    }
}
