package dev.jobs.limiters;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.admin.Found;
import dev.jobs.admin.ScanBudget;
import dev.jobs.limiters.Limiters.Kind;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.KeyScan;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.store.Effect;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The limiters in Redis. Thread-safe. */
@Internal
public final class JobLimiters implements LimiterStore {

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

    /** Over a connection of its own, which the first use opens. */
    public JobLimiters(RedisConnections redis) {
        this(redis.open("jobs-limiters"), redis.keys());
    }

    public JobLimiters(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
        this.names = new LimiterKeys(keys);
    }

    @Override
    public Answer take(LimiterRule rule, long points, Duration patience, boolean comesBack, @Nullable Permit permit) {
        List<byte[]> arguments = new ArrayList<>(List.of(
                Bytes.of(rule.kindName()),
                Bytes.of(rule.size()),
                Bytes.of(rule.unit()),
                Bytes.of(points),
                Bytes.of(patience.toNanos() / 1_000),
                comesBack ? ONE : NONE));
        List<byte[]> all = new ArrayList<>(List.of(keysOf(rule.kind(), rule.name())));
        if (permit != null) {
            Duration hold = permit.hold();
            arguments.add(Bytes.of(permit.name()));
            arguments.add(hold == null ? NONE : Bytes.of(hold.toMillis()));
            if (hold == null) {
                String[] ofJob = permit.name().split("\n", 3);
                all.add(keys.inFlight(ofJob[0]));
                arguments.add(Bytes.of(ofJob[1]));
            }
        }
        List<Object> answer = naming(
                rule.kind(),
                rule.name(),
                () -> connection.call(LIMITER, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new)));
        long room = Bytes.number(answer.get(0));
        Duration wait = Duration.ofNanos(Bytes.number(answer.get(1)) * 1_000);
        return new Answer(room > 0 ? Room.GRANTED : room == 0 ? Room.ASK_AGAIN : Room.REFUSED, wait);
    }

    private byte[][] keysOf(Kind kind, String name) {
        byte[] hash = names.limiter(LimiterRule.name(kind), name);
        return switch (kind) {
            case WINDOW -> new byte[][] {hash, names.log(name)};
            case CONCURRENT -> new byte[][] {hash, names.permits(name), names.timedPermits(name), keys.beats()};
            case BUCKET, LEAKY, POINTS -> new byte[][] {hash};
        };
    }

    @Override
    public void free(LimiterRule rule, Permit permit, Duration held) {
        connection.<Long>callForOne(
                LIMITER_FREE,
                ScriptOutputType.INTEGER,
                new byte[][] {
                    names.limiter(rule.kindName(), rule.name()),
                    names.permits(rule.name()),
                    names.timedPermits(rule.name())
                },
                new byte[][] {Bytes.of(permit.name()), Bytes.of(held.toNanos() / 1_000)});
    }

    @Override
    public Effect freeing(LimiterRule rule, Permit permit) {
        return freeing(keys, rule, permit);
    }

    /** The same for these keys. */
    public static Effect freeing(RedisKeys keys, LimiterRule rule, Permit permit) {
        return new Effect("slot", new LimiterKeys(keys).permits(rule.name()), "", List.of(Bytes.of(permit.name())));
    }

    @Override
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
    public Optional<LimiterInfo> find(Kind kind, String name) {
        List<Object> answer = naming(
                kind,
                name,
                () -> connection.call(LIMITER, keysOf(kind, name), new byte[][] {
                    Bytes.of(LimiterRule.name(kind)), NONE, NONE, ONE, ZERO, NONE, NONE, NONE
                }));
        return answer.isEmpty()
                ? Optional.empty()
                : Optional.of(new LimiterInfo(
                        kind,
                        name,
                        Bytes.number(answer.get(0)),
                        Bytes.number(answer.get(1)) == 1,
                        Double.parseDouble(Bytes.text(answer.get(2))),
                        Duration.ofNanos(Bytes.number(answer.get(3)) * 1_000)));
    }

    /** Forgets a limiter, its uses, and who holds its permits. */
    public void forget(Kind kind, String name) {
        connection.run(commands -> commands.unlink(keysToForget(kind, name)));
    }

    private byte[][] keysToForget(Kind kind, String name) {
        byte[][] all = keysOf(kind, name);
        return kind == Kind.CONCURRENT ? new byte[][] {all[0], all[1], all[2]} : all;
    }

    /** Reads limiters, in no order. Scans the names of all keys, a thousand in each step. */
    public Found<LimiterInfo> all(ScanBudget budget) {
        return Found.atKeys(
                new KeyScan(connection, names.prefix(), STEP),
                rests -> rests.stream().flatMap(rest -> at(rest).stream()).toList(),
                budget);
    }

    /** @param rest what follows the prefix in the name of a key */
    private Optional<LimiterInfo> at(String rest) {
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

    @Override
    public void close() {
        connection.close();
    }
}
