package dev.jobs.lists;

import dev.jobs.Internal;
import dev.jobs.lists.EntryReader.Order;
import dev.jobs.lists.JobSets.Move;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.store.EffectSource;
import dev.jobs.store.JobPushes;
import io.lettuce.core.ScriptOutputType;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Clears queues. Jobs that have effects are put aside in one step, and then end with them, some in each call. A crash
 * leaves the rest aside, for any process to go on with. Thread-safe.
 */
@Internal
public final class ClearedQueues {

    public static final LuaScript CLEAR = LuaScript.of(ClearedQueues.class, "clear");

    /** Begins the name of a place aside that is a sorted set. */
    private static final String IN_ORDER = "order:";

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final JobSets sets;
    private final EffectSource effects;
    private final RandomGenerator random;
    private final EntryReader reading;

    /**
     * @param sets supplies the effects of jobs that are {@code deleted}; for {@link EffectSource#NONE} nothing is put
     *     aside
     * @param random names the places aside; a name never comes twice
     */
    public ClearedQueues(RedisConnection connection, RedisKeys keys, JobSets sets, RandomGenerator random) {
        this.connection = connection;
        this.keys = keys;
        this.sets = sets;
        this.effects = sets.effects();
        this.random = random;
        this.reading = new EntryReader(connection);
    }

    /** Removes all jobs of a queue and its name in one step, and then ends the jobs. Returns the number of jobs. */
    public long clear(String queue) {
        long jobs = takeAway(queue);
        while (endSome()) {
            // until none is aside
        }
        return jobs;
    }

    /** Removes all jobs of a queue and its name; jobs that may have effects are put aside. Returns their number. */
    public long takeAway(String queue) {
        if (!mayHaveEffects()) {
            return call(queue, "deleted", List.of());
        }
        return call(queue, "aside", List.of(JobPushes.newJid(random), IN_ORDER + JobPushes.newJid(random)));
    }

    /** @param fate what becomes of jobs, in the script's words */
    private long call(String queue, String fate, List<String> aside) {
        List<byte[]> all =
                new ArrayList<>(List.of(keys.queues(), keys.queue(queue), keys.order(queue), keys.tags(queue)));
        List<byte[]> arguments = new ArrayList<>(List.of(Bytes.of(queue), Bytes.of(fate)));
        if (!aside.isEmpty()) {
            all.add(keys.cleared());
        }
        for (String name : aside) {
            all.add(keys.cleared(name));
            arguments.add(Bytes.of(name));
        }
        return connection.<Long>callForOne(
                CLEAR, ScriptOutputType.INTEGER, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new));
    }

    /**
     * Removes the name of a queue without jobs, and those of its keys that hold another type than they should, also if
     * there are jobs in the other one. Returns false, and does nothing, if there are jobs in all its keys.
     */
    public boolean forget(String queue) {
        return call(queue, "kept", List.of()) >= 0;
    }

    private boolean mayHaveEffects() {
        return effects != EffectSource.NONE;
    }

    /**
     * Ends some of the jobs that are aside, as many as one call may carry. Returns whether to go on: false if none is
     * left, or if another process ends the same ones.
     */
    public boolean endSome() {
        List<String> names = mayHaveEffects() ? Replies.members(connection, keys.cleared(), 1) : List.of();
        return !names.isEmpty() && endSome(names.get(0));
    }

    private boolean endSome(String name) {
        byte[] aside = keys.cleared(name);
        if (!effects.hasAny(connection)) {
            connection.run(commands -> commands.unlink(aside)); // nothing is added to it any more
        }
        Order order = name.startsWith(IN_ORDER) ? Order.LOWEST : Order.OLDEST;
        List<Object> flat = Replies.unlessWrongType(() -> reading.some(
                        aside, order, 0, CallBounds.JOBS, connection.bounds().bytes()))
                .map(EntryReader.Part::flat)
                .orElse(List.of());
        List<Move> moves = new ArrayList<>();
        for (int i = 0; i < flat.size(); i += order == Order.LOWEST ? 2 : 1) {
            moves.add(sets.delete((byte[]) flat.get(i)));
        }
        if (moves.isEmpty()) {
            connection.run(commands -> commands.srem(keys.cleared(), Bytes.of(name)));
            return true;
        }
        return sets.move(aside, moves).contains(1);
    }
}
