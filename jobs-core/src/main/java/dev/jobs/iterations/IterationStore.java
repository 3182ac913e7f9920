package dev.jobs.iterations;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.jobs.Internal;
import dev.jobs.ends.EndKeys;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.PersistentCall;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.Effect;
import io.lettuce.core.KeyValue;
import io.lettuce.core.ScriptOutputType;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The progress of iterable jobs: Sidekiq's {@code it-JID}, which Ruby reads and writes too. Thread-safe. */
@Internal
public final class IterationStore {

    private static final LuaScript FLUSH = LuaScript.of(IterationStore.class, "flush");

    private static final byte[] KEPT_SECONDS = Bytes.of(Duration.ofDays(30).toSeconds());

    private static final byte[][] FIELDS = {
        "ex".getBytes(US_ASCII), "c".getBytes(US_ASCII), "rt".getBytes(US_ASCII), "cancelled".getBytes(US_ASCII)
    };

    /**
     * The fields in Redis as they are stored; null for a missing field.
     *
     * @param executions number of executions, including that of the last flush
     * @param cursor the cursor of the next element, as JSON
     * @param runtime total time of all executions in seconds
     * @param cancelled epoch seconds
     */
    public record Stored(
            @Nullable String executions,
            byte @Nullable [] cursor,
            @Nullable String runtime,
            @Nullable String cancelled) {}

    /**
     * The progress of a job.
     *
     * @param token of the delivery that reports it
     */
    public record Progress(
            String jid, String incarnation, String token, int executions, byte[] cursor, Duration runtime) {}

    /** The result of storing it. */
    public enum Kept {
        KEPT,
        /** It was stored, and the job is cancelled. */
        CANCELLED,
        /** It was not stored, since the job no longer belongs to this process. */
        NOT_OURS
    }

    private final RedisConnection connection;
    private final RedisKeys keys;

    public IterationStore(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
    }

    /** The effect that removes the stored progress when the job ends. */
    public Effect removal(String jid) {
        return Effect.unlink(new EndKeys(keys).iteration(jid));
    }

    /** The stored progress of a job, if there is any. */
    public Optional<Stored> find(String jid) {
        List<KeyValue<byte[], byte[]>> fields =
                connection.run(commands -> commands.hmget(new EndKeys(keys).iteration(jid), FIELDS));
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

    /** Stores the progress of a job. If the job has advanced, its strikes are removed. */
    public Kept flush(Progress progress) {
        return kept(connection.call(FLUSH, flushKeys(progress), flushArguments(progress)));
    }

    /** The same, repeated while Redis can't be reached, until the command timeout ends. */
    public Kept flushPersistently(Progress progress) {
        return kept(new PersistentCall(FLUSH, ScriptOutputType.MULTI, flushKeys(progress), flushArguments(progress))
                .<List<Object>>over(connection));
    }

    private byte[][] flushKeys(Progress progress) {
        return new byte[][] {
            new EndKeys(keys).iteration(progress.jid()),
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
}
