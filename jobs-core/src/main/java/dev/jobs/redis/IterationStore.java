package dev.jobs.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.KeyValue;
import io.lettuce.core.ScriptOutputType;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** How far iterable jobs are: Sidekiq's {@code it-JID}, which Ruby reads and writes as well. Thread-safe. */
public final class IterationStore {

    private static final byte[] KEPT_SECONDS = Bytes.of(Duration.ofDays(30).toSeconds());

    private static final byte[][] FIELDS = {
        "ex".getBytes(US_ASCII), "c".getBytes(US_ASCII), "rt".getBytes(US_ASCII), "cancelled".getBytes(US_ASCII)
    };

    /**
     * What stands in Redis, as somebody wrote it; null where a field is missing.
     *
     * @param executions how many executions there were, that of the last flush included
     * @param cursor the cursor of the element that comes next, as JSON
     * @param runtime seconds that all executions have run
     * @param cancelled epoch seconds
     */
    public record Stored(
            @Nullable String executions,
            byte @Nullable [] cursor,
            @Nullable String runtime,
            @Nullable String cancelled) {}

    /**
     * How far a job is.
     *
     * @param token of the delivery that says so
     */
    public record Progress(
            String jid, String incarnation, String token, int executions, byte[] cursor, Duration runtime) {}

    /** What came of keeping it. */
    public enum Kept {
        KEPT,
        /** It was kept, and the job is cancelled. */
        CANCELLED,
        /** It was not kept, since the job is no longer that process's. */
        NOT_OURS
    }

    private final RedisConnection connection;
    private final RedisKeys keys;

    public IterationStore(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
    }

    /** The effect on a job's end that what is stored of it goes with the job. */
    public Effect removal(String jid) {
        return Effect.unlink(keys.iteration(jid));
    }

    /** What is stored of a job, if anything is. */
    public Optional<Stored> find(String jid) {
        List<KeyValue<byte[], byte[]>> fields = connection.run(commands -> commands.hmget(keys.iteration(jid), FIELDS));
        Stored stored = new Stored(text(fields.get(0)), bytes(fields.get(1)), text(fields.get(2)), text(fields.get(3)));
        boolean nothing = stored.executions() == null
                && stored.cursor() == null
                && stored.runtime() == null
                && stored.cancelled() == null;
        return nothing ? Optional.empty() : Optional.of(stored);
    }

    private static byte @Nullable [] bytes(KeyValue<byte[], byte[]> field) {
        return field.hasValue() ? field.getValue() : null;
    }

    private static @Nullable String text(KeyValue<byte[], byte[]> field) {
        return field.hasValue() ? Bytes.text(field.getValue()) : null;
    }

    /** Keeps how far a job is. If it got on, it has no strikes any more. */
    public Kept flush(Progress progress) {
        return kept(connection.call(LuaScript.FLUSH, flushKeys(progress), flushArguments(progress)));
    }

    /** The same, again and again while Redis can't be reached, until the command timeout is over. */
    public Kept flushPersistently(Progress progress) {
        return kept(connection.<List<Object>>callPersistently(
                LuaScript.FLUSH,
                ScriptOutputType.MULTI,
                flushKeys(progress),
                flushArguments(progress),
                connection.timeout(),
                new AtomicBoolean()));
    }

    private byte[][] flushKeys(Progress progress) {
        return new byte[][] {
            keys.iteration(progress.jid()),
            keys.inFlight(progress.incarnation()),
            keys.recovered(),
            keys.recoveredTimes()
        };
    }

    private static byte[][] flushArguments(Progress progress) {
        BigDecimal seconds = BigDecimal.valueOf(progress.runtime().toMillis(), 3);
        return new byte[][] {
            Bytes.of(progress.token()),
            Bytes.of(progress.executions()),
            progress.cursor(),
            Bytes.of(seconds.toPlainString()),
            KEPT_SECONDS
        };
    }

    private static Kept kept(List<Object> answer) {
        if (Bytes.number(answer.get(0)) == 0) {
            return Kept.NOT_OURS;
        }
        return answer.size() > 1 && answer.get(1) != null ? Kept.CANCELLED : Kept.KEPT;
    }

    /**
     * Marks a job as cancelled.
     *
     * @return since when it is: the given time, unless it had been cancelled before
     */
    public Instant cancel(String jid, Instant now) {
        byte[] since = connection.callForOne(
                LuaScript.CANCEL, ScriptOutputType.VALUE, new byte[][] {keys.iteration(jid)}, new byte[][] {
                    Bytes.of(now.getEpochSecond()), KEPT_SECONDS
                });
        return cancelled(Bytes.text(since));
    }

    /** The time behind a mark; the epoch where the mark is no number, which cancels all the same. */
    public static Instant cancelled(String mark) {
        try {
            return Instant.ofEpochSecond(Long.parseLong(mark));
        } catch (NumberFormatException | java.time.DateTimeException e) {
            return Instant.EPOCH;
        }
    }
}
