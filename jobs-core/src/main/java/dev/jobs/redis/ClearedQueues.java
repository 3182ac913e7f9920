package dev.jobs.redis;

import dev.jobs.redis.EntryReader.Order;
import dev.jobs.redis.JobSets.Move;
import io.lettuce.core.ScriptOutputType;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Clears queues. Jobs that have effects are put aside in one step and then end with them, some in each call. A crash
 * leaves the rest aside, for any process to go on with. Thread-safe.
 */
public final class ClearedQueues {

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
    long takeAway(String queue) {
        byte[][] places = {keys.queue(queue), keys.queues()};
        byte[][] arguments = {Bytes.of(queue), Bytes.of(0)};
        if (mayHaveEffects()) {
            String name = JobPushes.newJid(random);
            places = new byte[][] {places[0], places[1], keys.cleared(), keys.cleared(name)};
            arguments = new byte[][] {arguments[0], arguments[1], Bytes.of(name)};
        }
        return connection.<Long>callForOne(LuaScript.CLEAR, ScriptOutputType.INTEGER, places, arguments);
    }

    private boolean mayHaveEffects() {
        return effects != EffectSource.NONE;
    }

    /**
     * Ends some of the jobs that are aside, as many as one call may carry. Returns whether to go on: false if none is
     * left, or if another process ends the same ones.
     */
    public boolean endSome() {
        List<String> names = mayHaveEffects() ? Replies.members(connection, keys.cleared()) : List.of();
        return !names.isEmpty() && endSome(names.get(0));
    }

    private boolean endSome(String name) {
        byte[] aside = keys.cleared(name);
        if (!effects.hasAny(connection)) {
            connection.run(commands -> commands.unlink(aside)); // nothing is added to it any more
        }
        List<Move> moves = Replies.unlessWrongType(
                        () -> reading.some(aside, Order.OLDEST, 0, CallLimits.JOBS, CallLimits.BYTES))
                .map(part -> part.flat().stream()
                        .map(entry -> (byte[]) entry)
                        .map(stored -> sets.delete(stored))
                        .toList())
                .orElse(List.of());
        if (moves.isEmpty()) {
            connection.run(commands -> commands.srem(keys.cleared(), Bytes.of(name)));
            return true;
        }
        return sets.move(aside, moves).contains(1);
    }
}
