package dev.jobs.shards;

import dev.jobs.JobStoreException;
import dev.jobs.ends.EndKeys;
import dev.jobs.limits.LimitKeys;
import dev.jobs.limits.LimitScripts;
import dev.jobs.limits.LimitStates;
import dev.jobs.lists.EntryReader;
import dev.jobs.lists.EntryReader.Order;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.PersistentCall;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.shards.TransferSlice.Entry;
import dev.jobs.shards.TransferSlice.Place;
import dev.jobs.store.Effect;
import dev.jobs.store.EffectEncoder;
import dev.jobs.store.JobClaims;
import dev.jobs.store.StoreScripts;
import io.lettuce.core.ScriptOutputType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A queue that is transferred to another shard, in the shard that it leaves. All that is known of the transfer is here
 * in Redis, and every step may be repeated, by any process. Thread-safe.
 */
final class TransferSource {

    private static final LuaScript TRANSFER_CLOSE = LuaScript.of(TransferSource.class, "transfer_close");
    private static final LuaScript TRANSFER_NOTE = LuaScript.of(TransferSource.class, "transfer_note");
    private static final LuaScript TRANSFER_RETURN =
            LuaScript.of(TransferSource.class, "transfer_return", StoreScripts.PLACES, StoreScripts.EFFECTS);
    private static final LuaScript TRANSFER_SETTLE = LuaScript.of(TransferSource.class, "transfer_settle");
    private static final LuaScript TRANSFER_START = LuaScript.of(TransferSource.class, "transfer_start");
    private static final LuaScript TRANSFER_TAKE = LuaScript.of(
            TransferSource.class,
            "transfer_take",
            StoreScripts.PLACES,
            StoreScripts.STRIKES,
            LimitScripts.LIMITS,
            StoreScripts.EFFECTS);

    /**
     * An open transfer.
     *
     * @param to where it leads, for people
     * @param last number of the last slice
     * @param slice the name of the slice that is on its way; empty if there is none
     * @param sliceSince when it was taken; the epoch if there was none yet
     * @param moved jobs that the target has stored, by where they were
     */
    record State(
            String id, String to, Instant began, long last, String slice, Instant sliceSince, Map<Place, Long> moved) {

        State {
            moved = Map.copyOf(moved);
        }
    }

    /** What became of a step that wanted to take jobs. */
    enum Status {
        /** There is a new slice. */
        TAKEN,
        /** There is a slice from before, which has to go first. */
        OPEN,
        /** Nothing was taken. */
        NONE,
        /** The transfer is over. */
        CLOSED
    }

    /** What became of a job that was to be taken. */
    enum Fate {
        GONE,
        TAKEN,
        /** It stays: its iteration has begun, or it was cancelled. */
        BEGUN,
        /** It stays: it outlived a worker. */
        RECOVERED
    }

    /**
     * The answer to such a step.
     *
     * @param last number of the last slice
     * @param slice null if there is none
     * @param fates of the jobs; none if there was a slice from before
     */
    record Taken(Status status, long last, @Nullable TransferSlice slice, List<Fate> fates) {}

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final TransferKeys names;
    private final EntryReader reading;
    private final LimitKeys limits;
    private final TransferEffects effects;
    private final String queue;

    TransferSource(RedisConnection connection, RedisKeys keys, String queue) {
        this.connection = connection;
        this.keys = keys;
        this.names = new TransferKeys(keys);
        this.reading = new EntryReader(connection);
        this.limits = new LimitKeys(keys);
        this.effects = new TransferEffects(keys);
        this.queue = queue;
    }

    /** The names of queues with an open transfer, at most 10,000. */
    static List<String> open(RedisConnection connection, RedisKeys keys) {
        return Replies.members(connection, new TransferKeys(keys).open());
    }

    /** The open transfer; null if there is none. */
    @Nullable State state() {
        Map<byte[], byte[]> stored = connection.run(commands -> commands.hgetall(names.transfer(queue)));
        Map<String, String> fields = new HashMap<>();
        stored.forEach((field, value) -> fields.put(Bytes.text(field), Bytes.text(value)));
        String id = fields.get("id");
        if (id == null) {
            return null;
        }
        Map<Place, Long> moved = new EnumMap<>(Place.class);
        for (Place place : Place.values()) {
            String count = fields.get("moved:" + place.label());
            if (count != null) {
                moved.put(place, Long.parseLong(count));
            }
        }
        return new State(
                id,
                fields.getOrDefault("to", ""),
                Instant.ofEpochMilli(Long.parseLong(fields.getOrDefault("began", "0"))),
                Long.parseLong(fields.getOrDefault("number", "0")),
                fields.getOrDefault("slice", ""),
                Instant.ofEpochMilli(Long.parseLong(fields.getOrDefault("at", "0"))),
                moved);
    }

    /** What {@link #note} noted; empty if there is nothing. */
    String pass() {
        byte[] noted = connection.run(commands -> commands.hget(names.transfer(queue), Bytes.of("pass")));
        return noted == null ? "" : Bytes.text(noted);
    }

    /**
     * Notes how far a pass through all places is, for the next run.
     *
     * @param pass empty if the next run begins a new one
     */
    void note(String id, String pass) {
        call(
                TRANSFER_NOTE,
                ScriptOutputType.INTEGER,
                List.of(names.transfer(queue)),
                List.of(Bytes.of(id), Bytes.of(pass)));
    }

    /** The number of jobs of the slice that is on its way. */
    long onTheWay() {
        return connection.run(commands -> commands.llen(names.slice(queue)));
    }

    /**
     * Begins a transfer whose id the target has.
     *
     * @return the id of the open transfer, this one or another; empty if the target is this very shard
     */
    String start(String id, String to, Instant now) {
        byte[] open = call(
                TRANSFER_START,
                ScriptOutputType.VALUE,
                List.of(names.open(), names.transfer(queue), names.incoming()),
                List.of(Bytes.of(queue), Bytes.of(id), Bytes.of(to), Bytes.of(now.toEpochMilli())));
        return Bytes.text(open);
    }

    /**
     * Jobs at a place, from an index; as many as one call moves. From the end at which none leave for the queue or for
     * a worker, so that the index stays right when some do; an ordered queue in its order, which it keeps there.
     */
    List<Entry> read(Place place, long from) {
        boolean list = place == Place.QUEUE;
        Order order = list ? Order.NEWEST : place == Place.ORDER ? Order.LOWEST : Order.HIGHEST;
        List<Object> flat = reading.some(
                        key(place),
                        order,
                        from,
                        CallBounds.JOBS,
                        connection.bounds().bytesToMove())
                .flat();
        List<Entry> jobs = new ArrayList<>();
        for (int i = 0; i < flat.size(); i += list ? 1 : 2) {
            jobs.add(new Entry(place, list ? "" : Bytes.text(flat.get(i + 1)), (byte[]) flat.get(i)));
        }
        return jobs;
    }

    /** Parked jobs of a limit, of any queue, from an index; the newest of each key first, as many as one call moves. */
    List<LimitStates.Waiting> readParked(String limit, long from) {
        List<Object> flat = reading.some(
                        limits.parked(limit),
                        Order.HIGHEST,
                        from,
                        CallBounds.JOBS,
                        connection.bounds().bytesToMove())
                .flat();
        List<LimitStates.Waiting> jobs = new ArrayList<>();
        for (int i = 0; i < flat.size(); i += 2) {
            jobs.add(LimitStates.waiting((byte[]) flat.get(i)));
        }
        return jobs;
    }

    private byte[] key(Place place) {
        return switch (place) {
            case QUEUE -> keys.queue(queue);
            case ORDER -> keys.order(queue);
            case SCHEDULE -> keys.schedule();
            case RETRY -> keys.retry();
            case DEAD -> keys.dead();
        };
    }

    /** The number of jobs in the queue, with both places of an ordered one. */
    long waiting() {
        return connection.<Long>run(commands -> commands.llen(keys.queue(queue)))
                + connection.<Long>run(commands -> commands.zcard(keys.order(queue)));
    }

    /** The number of jobs of the queue that processes hold. */
    long held() {
        long held = 0;
        for (byte[] member : connection.run(commands -> commands.zrange(keys.beats(), 0, -1))) {
            for (byte[] token : connection.run(commands -> commands.hkeys(keys.inFlight(Bytes.text(member))))) {
                held += JobClaims.queueOf(Bytes.text(token)).equals(queue) ? 1 : 0;
            }
        }
        return held;
    }

    /** The slice that is on its way, if there is one. */
    Taken look(String id) {
        return take(id, 0, "", Place.QUEUE, 0, Instant.EPOCH, List.of(), List.of());
    }

    /**
     * Takes jobs into the next slice.
     *
     * @param from the index from which they were read
     * @param jids of the jobs, in the same order; empty for one without
     */
    Taken take(
            String id,
            long number,
            String mark,
            Place place,
            long from,
            Instant now,
            List<byte[]> jobs,
            List<String> jids) {
        Slicing slicing = new Slicing(id, number, mark, now);
        return take(slicing, place.label(), key(place), from, jobs, leaving(place, jobs), jids);
    }

    /**
     * Takes parked jobs into the next slice, as jobs of the queue.
     *
     * @param jids of the jobs, in the same order; empty for one without
     */
    Taken takeParked(
            String id,
            long number,
            String mark,
            String limit,
            Instant now,
            List<LimitStates.Waiting> jobs,
            List<String> jids) {
        return take(
                new Slicing(id, number, mark, now),
                "parked",
                limits.parked(limit),
                0,
                jobs.stream().map(LimitStates.Waiting::member).toList(),
                leaving(
                        Place.QUEUE,
                        jobs.stream().map(LimitStates.Waiting::payload).toList()),
                jids);
    }

    private record Slicing(String id, long number, String mark, Instant now) {}

    private List<List<Effect>> leaving(Place place, List<byte[]> payloads) {
        return payloads.stream().map(payload -> effects.leaving(place, payload)).toList();
    }

    /** @param leaving the effects of each job */
    private Taken take(
            Slicing slicing,
            String label,
            byte[] place,
            long from,
            List<byte[]> stored,
            List<List<Effect>> leaving,
            List<String> jids) {
        List<byte[]> all = new ArrayList<>(List.of(names.transfer(queue), names.slice(queue), place, keys.recovered()));
        jids.forEach(jid -> all.add(new EndKeys(keys).iteration(jid)));
        List<byte[]> arguments = new ArrayList<>(List.of(
                Bytes.of(slicing.id()),
                Bytes.of(slicing.number()),
                Bytes.of(slicing.mark()),
                Bytes.of(label),
                Bytes.of(slicing.now().toEpochMilli()),
                Bytes.of(stored.size()),
                Bytes.of(from)));
        arguments.addAll(stored);
        EffectEncoder happening = new EffectEncoder(keys);
        for (int i = 0; i < leaving.size(); i++) {
            happening.add(i + 1, leaving.get(i));
        }
        happening.appendTo(all, arguments);
        List<Object> answer = call(TRANSFER_TAKE, ScriptOutputType.MULTI, all, arguments);
        Status status = Status.valueOf(Bytes.text(answer.get(0)).toUpperCase(Locale.ROOT));
        String name = Bytes.text(answer.get(1));
        TransferSlice slice = status == Status.TAKEN || status == Status.OPEN
                ? TransferSlice.parse(name, Bytes.list(answer.get(3)))
                : null;
        List<Fate> fates = Bytes.list(answer.get(2)).stream()
                .map(fate -> Fate.values()[(int) Bytes.number(fate)])
                .toList();
        long last = slice != null ? slice.number() : name.isEmpty() ? 0 : Long.parseLong(name);
        return new Taken(status, last, slice, fates);
    }

    /** Removes a slice that the target has stored. Returns whether it was there. */
    boolean settle(String id, TransferSlice slice) {
        return this.<Long>call(
                        TRANSFER_SETTLE,
                        ScriptOutputType.INTEGER,
                        List.of(names.transfer(queue), names.slice(queue)),
                        List.of(Bytes.of(id), Bytes.of(slice.name())))
                == 1;
    }

    /** Puts the jobs of a slice back to where they were; the target must have refused it. */
    boolean giveBack(String id, TransferSlice slice) {
        List<byte[]> all = new ArrayList<>(List.of(
                names.transfer(queue),
                names.slice(queue),
                keys.queues(),
                keys.queue(queue),
                keys.schedule(),
                keys.retry(),
                keys.dead(),
                keys.order(queue)));
        int size = slice.jobs().size();
        List<byte[]> arguments =
                new ArrayList<>(List.of(Bytes.of(id), Bytes.of(slice.name()), Bytes.of(queue), Bytes.of(size)));
        EffectEncoder happening = new EffectEncoder(keys);
        for (int number = 1; number <= size; number++) {
            Entry job = slice.jobs().get(size - number);
            happening.add(number, effects.arriving(job));
        }
        happening.appendTo(all, arguments);
        return this.<Long>call(TRANSFER_RETURN, ScriptOutputType.INTEGER, all, arguments) == 1;
    }

    /** Ends a transfer. Returns false if it has a slice, which has to go first. */
    boolean close(String id) {
        return this.<Long>call(
                        TRANSFER_CLOSE,
                        ScriptOutputType.INTEGER,
                        List.of(names.open(), names.transfer(queue)),
                        List.of(Bytes.of(queue), Bytes.of(id)))
                >= 0;
    }

    /** @throws JobStoreException if Redis can't be reached within the command timeout, or refuses the call */
    private <T> T call(LuaScript script, ScriptOutputType type, List<byte[]> all, List<byte[]> arguments) {
        return new PersistentCall(script, type, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new))
                .<T>over(connection);
    }
}
