package dev.jobs.limiters;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.limiters.Limiters.Kind;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.KeyScan;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.store.Effect;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The limiters in Redis. Thread-safe. */
@Internal
public final class JobLimiters {

    private static final LuaScript LIMITER = LuaScript.of(JobLimiters.class, "limiter");
    private static final LuaScript LIMITER_FREE = LuaScript.of(JobLimiters.class, "limiter_free");
    private static final LuaScript LIMITER_SIZE = LuaScript.of(JobLimiters.class, "limiter_size");
    private static final LuaScript LIMITER_USED = LuaScript.of(JobLimiters.class, "limiter_used");

    private static final int STEP = 1_000;
    private static final byte[] NONE = {};
    private static final byte[] ONE = Bytes.of(1);
    private static final byte[] ZERO = Bytes.of(0);

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final LimiterKeys names;

    public JobLimiters(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
        this.names = new LimiterKeys(keys);
    }

    /** Whether there was room. */
    public enum Room {
        GRANTED,
        /** The caller would wait for longer than until there may be room. */
        ASK_AGAIN,
        REFUSED
    }

    /** @param after how long it takes until there may be room */
    public record Answer(Room room, Duration after) {}

    /**
     * A limiter as Redis knows it.
     *
     * @param resized whether the size was set at run time
     * @param used how many uses, slots or points of the size are taken
     * @param freeIn how long it takes until there may be room
     */
    public record State(Kind kind, String name, long size, boolean resized, double used, Duration freeIn) {}

    /**
     * Some of the limiters.
     *
     * @param complete whether these are all
     */
    public record Some(List<State> limiters, boolean complete) {}

    /**
     * Takes room if there is any.
     *
     * @param points how many
     * @param patience how long the caller waits
     * @param comesBack whether the caller is a job, which comes back when it is told to
     * @param slot the slot of a concurrent limiter
     */
    public Answer take(
            LimiterRule rule, long points, Duration patience, boolean comesBack, @Nullable LimiterSlot slot) {
        List<byte[]> arguments = new ArrayList<>(List.of(
                Bytes.of(rule.kindName()),
                Bytes.of(rule.size()),
                Bytes.of(rule.unit()),
                Bytes.of(points),
                Bytes.of(patience.toNanos() / 1_000),
                comesBack ? ONE : NONE));
        if (slot != null) {
            Duration hold = slot.hold();
            arguments.add(Bytes.of(slot.name()));
            arguments.add(hold == null ? NONE : Bytes.of(hold.toMillis()));
        }
        List<Object> answer = naming(
                rule.kind(),
                rule.name(),
                () -> connection.call(LIMITER, keysOf(rule.kind(), rule.name()), arguments.toArray(byte[][]::new)));
        long room = Bytes.number(answer.get(0));
        Duration wait = Duration.ofNanos(Bytes.number(answer.get(1)) * 1_000);
        return new Answer(room > 0 ? Room.GRANTED : room == 0 ? Room.ASK_AGAIN : Room.REFUSED, wait);
    }

    private byte[][] keysOf(Kind kind, String name) {
        byte[] hash = names.limiter(LimiterRule.name(kind), name);
        return switch (kind) {
            case WINDOW -> new byte[][] {hash, names.log(name)};
            case CONCURRENT -> new byte[][] {hash, names.slots(name), names.timedSlots(name), keys.beats()};
            case BUCKET, LEAKY, POINTS -> new byte[][] {hash};
        };
    }

    /** Gives back a slot. @param held for how long it was held */
    public void free(LimiterRule rule, LimiterSlot slot, Duration held) {
        connection.<Long>callForOne(
                LIMITER_FREE,
                ScriptOutputType.INTEGER,
                new byte[][] {
                    names.limiter(rule.kindName(), rule.name()), names.slots(rule.name()), names.timedSlots(rule.name())
                },
                new byte[][] {Bytes.of(slot.name()), Bytes.of(held.toNanos() / 1_000)});
    }

    /** The effect that gives back a slot of a job when that is settled. */
    public static Effect freeing(RedisKeys keys, LimiterRule rule, LimiterSlot slot) {
        return new Effect("slot", new LimiterKeys(keys).slots(rule.name()), "", List.of(Bytes.of(slot.name())));
    }

    /** Takes more points, or gives some back. */
    public void correct(LimiterRule rule, long more) {
        connection.<Long>callForOne(
                LIMITER_USED,
                ScriptOutputType.INTEGER,
                new byte[][] {names.limiter(rule.kindName(), rule.name())},
                new byte[][] {Bytes.of(more), Bytes.of(rule.unit())});
    }

    /** Sets the size at run time; null for that of the code. */
    public void resize(Kind kind, String name, @Nullable Long size) {
        naming(
                kind,
                name,
                () -> connection.<Long>callForOne(
                        LIMITER_SIZE,
                        ScriptOutputType.INTEGER,
                        new byte[][] {names.limiter(LimiterRule.name(kind), name)},
                        new byte[][] {size == null ? NONE : Bytes.of(size)}));
    }

    /** Reads a limiter; empty if it was not used lately. */
    public Optional<State> find(Kind kind, String name) {
        List<Object> answer = naming(
                kind,
                name,
                () -> connection.call(LIMITER, keysOf(kind, name), new byte[][] {
                    Bytes.of(LimiterRule.name(kind)), NONE, NONE, ONE, ZERO, NONE, NONE, NONE
                }));
        return answer.isEmpty()
                ? Optional.empty()
                : Optional.of(new State(
                        kind,
                        name,
                        Bytes.number(answer.get(0)),
                        Bytes.number(answer.get(1)) == 1,
                        Double.parseDouble(Bytes.text(answer.get(2))),
                        Duration.ofNanos(Bytes.number(answer.get(3)) * 1_000)));
    }

    /** Forgets a limiter, its uses, and who holds its slots. */
    public void forget(Kind kind, String name) {
        connection.run(commands -> commands.unlink(keysToForget(kind, name)));
    }

    private byte[][] keysToForget(Kind kind, String name) {
        byte[][] all = keysOf(kind, name);
        return kind == Kind.CONCURRENT ? new byte[][] {all[0], all[1], all[2]} : all;
    }

    /**
     * Reads limiters, in no order. Scans the names of all keys, a thousand in each step.
     *
     * @param most how many to read at most
     * @param goOn asked before each step but the first
     */
    public Some some(int most, BooleanSupplier goOn) {
        KeyScan scan = new KeyScan(connection, names.prefix(), STEP);
        List<State> found = new ArrayList<>();
        do {
            scan.next().forEach(rest -> state(rest).ifPresent(found::add));
        } while (!scan.isFinished() && found.size() < most && goOn.getAsBoolean());
        boolean all = scan.isFinished() && found.size() <= most;
        return new Some(List.copyOf(found.subList(0, Math.min(most, found.size()))), all);
    }

    private Optional<State> state(String rest) {
        for (Kind kind : Kind.values()) {
            String start = LimiterRule.name(kind) + ":";
            if (rest.startsWith(start)) {
                return Replies.unlessWrongType(
                        () -> find(kind, rest.substring(start.length())).orElse(null));
            }
        }
        return Optional.empty();
    }

    private interface Call<T> {
        T run();
    }

    private static <T> T naming(Kind kind, String name, Call<T> call) {
        try {
            return call.run();
        } catch (JobStoreException e) {
            if (e.kind() != JobStoreException.Kind.WRONG_TYPE) {
                throw e;
            }
            throw new JobStoreException(
                    e.kind(),
                    "The " + LimiterRule.name(kind) + " limiter '" + name + "' can't be used: " + e.getMessage()
                            + ". Remove the key, or choose another name for the limiter",
                    e);
        }
    }
}
