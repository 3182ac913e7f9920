package dev.jobs.lists;

import dev.jobs.Internal;
import dev.jobs.lists.EntryReader.Order;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.CallBounds.Portion;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.redis.SortedQueue;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.store.Effect;
import dev.jobs.store.EffectEncoder;
import dev.jobs.store.EffectSource;
import dev.jobs.store.StoreScripts;
import dev.jobs.store.StoredSet;
import io.lettuce.core.Range;
import io.lettuce.core.Range.Boundary;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the scheduled, retry and dead sets, and moves jobs out of them or out of a queue. Thread-safe. */
@Internal
public final class JobSets {

    static final LuaScript MOVE =
            LuaScript.of(JobSets.class, "move", StoreScripts.PLACES, SortedQueue.ORDER, StoreScripts.EFFECTS);
    static final LuaScript DUE = LuaScript.of(JobSets.class, "due");

    /**
     * A member of a set.
     *
     * @param score epoch seconds: the due time, or the time of death
     */
    public record Entry(byte[] payload, double score) {}

    /**
     * @param next due time of the next job in epoch seconds, positive infinity if there is none
     * @param broken sets that can't be read because their keys hold another type
     * @param more whether there may be more due jobs
     * @param looks what else to look at, each a member of {@link RedisKeys#wake()}
     */
    public record Due(
            Instant serverTime,
            List<Entry> retries,
            List<Entry> scheduled,
            double next,
            List<StoredSet> broken,
            boolean more,
            List<String> looks) {}

    /**
     * Takes a job out of a queue or set and says where it goes.
     *
     * @param what the scripts' word for it, which is also the outcome that effects can name; that of {@code order} is
     *     {@code queue}
     * @param effects what else changes in the same step
     */
    public record Move(
            byte[] stored,
            String what,
            byte[] target,
            @Nullable StoredSet set,
            String queue,
            String score,
            byte[] payload,
            List<Effect> effects) {

        /** The same move with these effects. */
        public Move with(List<Effect> more) {
            return new Move(stored, what, target, set, queue, score, payload, List.copyOf(more));
        }

        private int size() {
            return stored.length + payload.length + Effect.size(effects);
        }
    }

    private static final byte[] NOTHING = {};

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final DeadSetBounds dead;
    private final EffectSource effects;
    private final EntryReader reading;

    /** @param effects supplies the effects of jobs that are moved here */
    public JobSets(RedisConnection connection, RedisKeys keys, DeadSetBounds dead, EffectSource effects) {
        this.connection = connection;
        this.effects = effects;
        this.reading = new EntryReader(connection);
        this.keys = keys;
        this.dead = dead;
    }

    /**
     * Reads due jobs by the server's clock, and when the next one is due. Reads at most {@code max} jobs and
     * {@link CallBounds#bytesToMove} from each of the two sets, unless a single job is larger.
     */
    public Due due(int max) {
        List<Object> answer =
                connection.call(DUE, new byte[][] {keys.retry(), keys.schedule(), keys.wake()}, new byte[][] {
                    Bytes.of(max), Bytes.of(connection.bounds().bytesToMove())
                });
        String next = Bytes.text(answer.get(4));
        List<StoredSet> broken = Bytes.list(answer.get(5)).stream()
                .map(index -> Bytes.number(index) == 1 ? StoredSet.RETRY : StoredSet.SCHEDULE)
                .toList();
        return new Due(
                Instant.ofEpochSecond(Bytes.number(answer.get(0)), Bytes.number(answer.get(1)) * 1_000),
                entries(Bytes.list(answer.get(2))),
                entries(Bytes.list(answer.get(3))),
                next.isEmpty() ? Double.POSITIVE_INFINITY : score(next),
                broken,
                Bytes.number(answer.get(6)) == 1,
                Bytes.list(answer.get(7)).stream().map(Bytes::text).toList());
    }

    public static List<Entry> entries(List<Object> flat) {
        List<Entry> entries = new ArrayList<>(flat.size() / 2);
        for (int i = 0; i < flat.size(); i += 2) {
            entries.add(new Entry((byte[]) flat.get(i), score(Bytes.text(flat.get(i + 1)))));
        }
        return entries;
    }

    private static double score(String text) {
        return switch (text) {
            case "inf" -> Double.POSITIVE_INFINITY;
            case "-inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }

    /** Whether its key holds another type than a sorted set. */
    public boolean isBroken(StoredSet set) {
        String type = connection.run(commands -> commands.type(set.key(keys)));
        return !type.equals("zset") && !type.equals("none");
    }

    /** The number of jobs in a set. */
    public long size(StoredSet set) {
        return connection.run(commands -> commands.zcard(set.key(keys)));
    }

    /** The same for all sets; 0 if the key holds no sorted set. */
    public Map<StoredSet, Long> sizes() {
        List<Long> answers = connection.run(commands -> Replies.all(Arrays.stream(StoredSet.values())
                .map(set -> Replies.unlessWrongType(commands.zcard(set.key(keys)), 0L))
                .toList()));
        Map<StoredSet, Long> sizes = new EnumMap<>(StoredSet.class);
        for (StoredSet set : StoredSet.values()) {
            sizes.put(set, answers.get(set.ordinal()));
        }
        return sizes;
    }

    /** The score of a job, or null if it isn't in the set. */
    public @Nullable Double score(StoredSet set, byte[] stored) {
        return connection.<@Nullable Double>run(commands -> commands.zscore(set.key(keys), stored));
    }

    /** A number of jobs by rising score, from an index, which is 0 for the lowest score. */
    public List<Entry> lowest(StoredSet set, long from, int count) {
        return entries(reading.all(set.key(keys), Order.LOWEST, from, count));
    }

    /** A number of jobs by falling score, from an index, which is 0 for the highest score. */
    public List<Entry> highest(StoredSet set, long from, int count) {
        return entries(reading.all(set.key(keys), Order.HIGHEST, from, count));
    }

    /** Jobs between two scores, both included, lowest first, after skipping some. */
    public List<Entry> between(StoredSet set, double least, double most, long skip, int count) {
        return entries(reading.all(set.key(keys), Order.RISING, skip, count, bound(least), bound(most)));
    }

    /**
     * The same, but only as many as one call returns: at most {@link CallBounds#bytesToMove}, unless the first one
     * alone is larger.
     */
    public Portion<Entry> someBetween(StoredSet set, double least, double most, long skip, int count) {
        EntryReader.Part part = reading.some(
                set.key(keys), Order.RISING, skip, count, connection.bounds().bytesToMove(), bound(least), bound(most));
        return new Portion<>(entries(part.flat()), part.cut());
    }

    private static String bound(double score) {
        return Double.isInfinite(score) ? score > 0 ? "+inf" : "-inf" : Double.toString(score);
    }

    /**
     * The position of the entries of one score.
     *
     * @param before number of entries before them
     * @param count number of entries of the score
     */
    public record Span(long before, long count) {}

    /** The number of jobs before a job, from the lowest or from the highest score; null if it isn't in the set. */
    public @Nullable Long rank(StoredSet set, byte[] stored, boolean highestFirst) {
        return connection.<@Nullable Long>run(commands ->
                highestFirst ? commands.zrevrank(set.key(keys), stored) : commands.zrank(set.key(keys), stored));
    }

    /** The position of the jobs with exactly that score, from the lowest or from the highest score. */
    public Span span(StoredSet set, double score, boolean highestFirst) {
        Boundary<Double> beyond = Boundary.excluding(score);
        Range<Double> before = highestFirst
                ? Range.from(beyond, Boundary.<Double>unbounded())
                : Range.from(Boundary.<Double>unbounded(), beyond);
        List<Long> counts = connection.run(commands -> Replies.all(List.of(
                commands.zcount(set.key(keys), before), commands.zcount(set.key(keys), Range.create(score, score)))));
        return new Span(counts.get(0), counts.get(1));
    }

    /** Searches for a text in the stored bytes of a whole set. */
    public ScanStep.Steps<Entry> scan(StoredSet set, String text) {
        return (cursor, count) -> {
            EntryReader.Step step = reading.scanSet(set.key(keys), cursor, count, text);
            return step.with(entries(step.flat()));
        };
    }

    /** To the back of a queue, or where it belongs in a sorted one. */
    public Move toQueue(byte[] stored, String queue, byte[] payload) {
        SortedQueue sorted = keys.sortedForNew(queue);
        return sorted == null
                ? new Move(stored, "queue", keys.queue(queue), null, queue, "", payload, List.of())
                : new Move(
                        stored,
                        "order",
                        sorted.set(),
                        null,
                        queue,
                        Bytes.text(sorted.rank(payload)),
                        payload,
                        List.of());
    }

    /** Into a set, or to another time in the same set. */
    public Move toSet(byte[] stored, StoredSet set, Instant at, byte[] payload) {
        return toSet(stored, set, score(at), payload);
    }

    /** The same under a score, such as the one it has in the set. */
    public Move toSet(byte[] stored, StoredSet set, double score, byte[] payload) {
        String text = Double.toString(score).replace("Infinity", "inf");
        return new Move(stored, "set", set.key(keys), set, "", text, payload, List.of());
    }

    /** The score of a job that is moved to that time: to the microsecond. */
    public static double score(Instant at) {
        return Double.parseDouble(String.format(Locale.ROOT, "%d.%06d", at.getEpochSecond(), at.getNano() / 1_000));
    }

    /** Into a set, due after a delay by the server's clock. */
    public Move toSet(byte[] stored, StoredSet set, Duration delay, byte[] payload) {
        String seconds = String.format(Locale.ROOT, "now+%d.%03d", delay.toSeconds(), delay.toMillisPart());
        return new Move(stored, "set", set.key(keys), set, "", seconds, payload, List.of());
    }

    /** Into the dead set, which is then trimmed. */
    public Move toDead(byte[] stored, byte[] payload) {
        return new Move(stored, "dead", keys.dead(), StoredSet.DEAD, "", "", payload, List.of());
    }

    /** Nowhere: a middleware refused it. */
    public Move refuse(byte[] stored) {
        return new Move(stored, "refused", NOTHING, null, "", "", NOTHING, List.of());
    }

    /** Nowhere: it is deleted for good. */
    public Move delete(byte[] stored) {
        return new Move(stored, "deleted", NOTHING, null, "", "", NOTHING, List.of());
    }

    /**
     * Moves jobs out of a set, in several calls if they are large. Returns for each job 1 if it was moved, 0 if it was
     * gone, -1 if the target's key has the wrong type.
     */
    public List<Integer> move(StoredSet from, List<Move> moves) {
        return move(from.key(keys), moves);
    }

    /** Moves jobs out of a queue; see {@link #move(StoredSet, List)}. */
    public List<Integer> moveFromQueue(String queue, List<Move> moves) {
        List<Integer> results = new ArrayList<>(move(keys.queue(queue), moves));
        List<Integer> rest = QueuePlaces.missing(results, 0);
        List<Integer> moved =
                move(keys.order(queue), rest.stream().map(moves::get).toList());
        for (int i = 0; i < rest.size(); i++) {
            results.set(rest.get(i), moved.get(i));
        }
        return results;
    }

    /** Moves jobs out of the queue or set at that key; see {@link #move(StoredSet, List)}. */
    public List<Integer> move(byte[] source, List<Move> moves) {
        List<Integer> results = new ArrayList<>(moves.size());
        List<Move> complete = moves.stream().map(this::withEffects).toList();
        for (List<Move> part : connection.bounds().cut(complete, Move::size)) {
            results.addAll(moveTogether(source, part));
        }
        return results;
    }

    /** Deletes a parked job, whose entry there has more than its bytes. Returns whether it was there. */
    public boolean deleteParked(byte[] place, byte[] entry, byte[] job) {
        return moveTogether(place, List.of(delete(entry).with(effects.of(job)))).get(0) == 1;
    }

    private Move withEffects(Move move) {
        List<Effect> more = effects.of(move.stored());
        return more.isEmpty()
                ? move
                : move.with(
                        Stream.concat(move.effects().stream(), more.stream()).toList());
    }

    /** Whether anything besides its move happens with a job. */
    public boolean hasEffects(byte[] stored) {
        return !effects.of(stored).isEmpty();
    }

    /** What supplies the effects of moved jobs. */
    EffectSource effects() {
        return effects;
    }

    private List<Integer> moveTogether(byte[] source, List<Move> moves) {
        List<byte[]> all = new ArrayList<>(List.of(source, keys.queues()));
        List<byte[]> arguments = new ArrayList<>();
        arguments.add(Bytes.of(dead.maxJobs()));
        arguments.add(Bytes.of(dead.retention().toSeconds()));
        arguments.add(Bytes.of(moves.size()));
        EffectEncoder happening = new EffectEncoder(keys);
        int number = 0;
        for (Move move : moves) {
            number++;
            happening.add(number, move.effects());
            int index = indexOf(all, move.target());
            SortedQueue sorted = move.what().equals("order") ? keys.sorted(move.queue()) : null;
            if (sorted != null && index == all.size() - 2) {
                all.add(sorted.tags());
            }
            arguments.add(move.stored());
            arguments.add(Bytes.of(move.what()));
            arguments.add(Bytes.of(index));
            arguments.add(Bytes.of(move.queue()));
            arguments.add(Bytes.of(move.score()));
            arguments.add(move.payload());
        }
        happening.appendTo(all, arguments);
        return connection.call(MOVE, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new)).stream()
                .map(result -> (int) Bytes.number(result))
                .toList();
    }

    /** The index of a target among the keys as the script counts: 1 is the first after the two fixed keys. */
    private static int indexOf(List<byte[]> all, byte[] target) {
        if (target.length == 0) {
            return 0;
        }
        for (int i = 2; i < all.size(); i++) {
            if (Arrays.equals(all.get(i), target)) {
                return i - 1;
            }
        }
        all.add(target);
        return all.size() - 2;
    }
}
