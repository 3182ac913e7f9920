package dev.jobs.shards;

import dev.jobs.ordered.OrderRule;
import dev.jobs.ordered.OrderRule.By;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.PersistentCall;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.SortedQueue;
import dev.jobs.redis.UseNote;
import dev.jobs.results.ResultEffects;
import dev.jobs.results.ResultKeys;
import dev.jobs.shards.TransferSlice.Entry;
import dev.jobs.shards.TransferSlice.Place;
import dev.jobs.store.EffectEncoder;
import dev.jobs.store.StoreScripts;
import dev.jobs.unique.LockKeys;
import io.lettuce.core.ScriptOutputType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A queue that is transferred to another shard, in the shard where it arrives. Thread-safe. */
final class TransferTarget {

    private static final LuaScript TRANSFER_STORE = LuaScript.of(
            TransferTarget.class, "transfer_store", StoreScripts.PLACES, SortedQueue.ORDER, StoreScripts.EFFECTS);

    /** What became of a slice. */
    public enum Answer {
        /** It is stored, now or since an earlier call. */
        STORED,
        /** It is not stored, and never will be. */
        VOID,
        /** This shard knows no such transfer. */
        UNKNOWN,
        /** Another slice of that number, or a later one, came before. */
        LATE
    }

    /** The value of a transfer of which nothing came yet. */
    private static final byte[] NOTHING_YET = Bytes.of("0: 0");

    private static final byte[] NOTHING = {};

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final TransferKeys names;
    private final TransferEffects effects;
    private final UseNote locksUsed;
    private final UseNote resultsUsed;
    private final String queue;

    public TransferTarget(RedisConnection connection, RedisKeys keys, String queue) {
        this.connection = connection;
        this.keys = keys;
        this.names = new TransferKeys(keys);
        this.effects = new TransferEffects(keys);
        this.locksUsed = new UseNote(connection, new LockKeys(keys).used());
        this.resultsUsed = new UseNote(connection, new ResultKeys(keys).used());
        this.queue = queue;
    }

    /** Expects the slices of a new transfer. */
    public void expect(String id) {
        connection.run(commands -> commands.hsetnx(names.incoming(), Bytes.of(id), NOTHING_YET));
    }

    /** No longer expects those of a transfer that never began. */
    public void forget(String id) {
        connection.run(commands -> commands.hdel(names.incoming(), Bytes.of(id)));
    }

    /** How many jobs of a transfer were stored here; null if this shard doesn't know it. */
    public @Nullable Long stored(String id) {
        byte[] value = connection.<byte @Nullable []>run(commands -> commands.hget(names.incoming(), Bytes.of(id)));
        return value == null ? null : Long.valueOf(Bytes.text(value).split(" ")[1]);
    }

    /** Stores a slice, unless it was stored before. */
    public Answer store(String id, TransferSlice slice) {
        if (slice.jobs().stream().anyMatch(job -> effects.mayLock(job.payload()))) {
            locksUsed.set();
        }
        if (slice.jobs().stream().anyMatch(job -> ResultEffects.mayConcern(job.payload()))) {
            resultsUsed.set();
        }
        return send(id, slice, "store", slice.jobs());
    }

    /** Makes sure that a slice is not stored from now on, unless it was stored before. */
    public Answer refuse(String id, TransferSlice slice) {
        return send(id, slice, "void", List.of());
    }

    private Answer send(String id, TransferSlice slice, String what, List<Entry> jobs) {
        List<byte[]> all = new ArrayList<>(List.of(
                names.incoming(),
                keys.queues(),
                keys.queue(queue),
                keys.schedule(),
                keys.retry(),
                keys.dead(),
                keys.order(queue),
                keys.tags(queue)));
        List<byte[]> arguments = new ArrayList<>(List.of(
                Bytes.of(id),
                Bytes.of(slice.number()),
                Bytes.of(slice.mark()),
                Bytes.of(what),
                Bytes.of(queue),
                Bytes.of(jobs.size())));
        EffectEncoder happening = new EffectEncoder(keys);
        int number = 0;
        for (Entry job : jobs) {
            number++;
            arguments.addAll(List.of(Bytes.of(job.place().label()), score(job), job.payload()));
            happening.add(number, effects.arriving(job));
        }
        happening.appendTo(all, arguments);
        byte[] answer = new PersistentCall(
                        TRANSFER_STORE,
                        ScriptOutputType.VALUE,
                        all.toArray(byte[][]::new),
                        arguments.toArray(byte[][]::new))
                .over(connection);
        return Answer.valueOf(Bytes.text(answer).toUpperCase(Locale.ROOT));
    }

    /** By turns a job gets the next one of its key here; by priority it keeps its moment. */
    private byte[] score(Entry job) {
        SortedQueue ordered = job.place() == Place.ORDER ? keys.sorted(queue) : null;
        if (ordered != null && !(ordered.rule() instanceof OrderRule rule && rule.by() == By.PRIORITY)) {
            return ordered.rank(job.payload());
        }
        return job.place() == Place.QUEUE ? NOTHING : Bytes.of(job.score());
    }
}
