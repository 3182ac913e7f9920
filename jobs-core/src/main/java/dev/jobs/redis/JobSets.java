package dev.jobs.redis;

import dev.jobs.redis.CallLimits.Portion;
import dev.jobs.redis.EntryReader.Order;
import io.lettuce.core.Range;
import io.lettuce.core.Range.Boundary;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The scheduled, retry and dead sets, and moving jobs out of them or out of a queue. Thread-safe. */
public final class JobSets {

    /** The sorted sets that jobs wait or rest in. */
    public enum JobSet {
        SCHEDULE,
        RETRY,
        DEAD;

        byte[] key(RedisKeys keys) {
            return switch (this) {
                case SCHEDULE -> keys.schedule();
                case RETRY -> keys.retry();
                case DEAD -> keys.dead();
            };
        }
    }

    /**
     * A member of a set.
     *
     * @param score epoch seconds: when it is due, or when it died
     */
    public record Entry(byte[] payload, double score) {}

    /**
     * @param next epoch seconds at which the next one becomes due, positive infinity if there is none
     * @param broken which of the two sets can't be read, since their keys hold another type
     * @param more whether there may be more that are due
     */
    public record Due(
            Instant serverTime,
            List<Entry> retries,
            List<Entry> scheduled,
            double next,
            List<JobSet> broken,
            boolean more) {}

    /**
     * Where a job goes that is taken out of a queue or set.
     *
     * @param effects what else happens in the same step
     */
    public record Move(
            byte[] stored,
            String what,
            byte[] target,
            @Nullable JobSet set,
            String queue,
            String score,
            byte[] payload,
            List<Effect> effects) {

        /** The same, with these effects besides. */
        public Move with(List<Effect> more) {
            return new Move(stored, what, target, set, queue, score, payload, List.copyOf(more));
        }

        private int size() {
            return stored.length
                    + payload.length
                    + effects.stream().mapToInt(Effect::size).sum();
        }
    }

    /**
     * What one step of a scan found, and where the next one begins unless this was the last.
     *
     * @param looked entries that were looked at, roughly
     */
    public record Step(List<Entry> found, String cursor, boolean last, int looked) {}

    /** The cursor of the first step of a scan. */
    public static final String FIRST_STEP = EntryReader.FIRST;

    private static final byte[] NOTHING = {};

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final DeadSetLimits dead;
    private final EntryReader reading;

    public JobSets(RedisConnection connection, RedisKeys keys, DeadSetLimits dead) {
        this.connection = connection;
        this.reading = new EntryReader(connection);
        this.keys = keys;
        this.dead = dead;
    }

    /**
     * Reads what is due by the server's clock, and when there will be more: at most so many from each of the two sets, and no more than
     * {@link CallLimits#BYTES_TO_MOVE} of each unless a single one is larger.
     */
    public Due due(int max) {
        List<Object> answer =
                connection.call(LuaScript.DUE, new byte[][] {keys.retry(), keys.schedule()}, new byte[][] {
                    Bytes.of(max), Bytes.of(CallLimits.BYTES_TO_MOVE)
                });
        String next = Bytes.text(answer.get(4));
        List<JobSet> broken = Bytes.list(answer.get(5)).stream()
                .map(index -> Bytes.number(index) == 1 ? JobSet.RETRY : JobSet.SCHEDULE)
                .toList();
        return new Due(
                Instant.ofEpochSecond(Bytes.number(answer.get(0)), Bytes.number(answer.get(1)) * 1_000),
                entries(Bytes.list(answer.get(2))),
                entries(Bytes.list(answer.get(3))),
                next.isEmpty() ? Double.POSITIVE_INFINITY : score(next),
                broken,
                Bytes.number(answer.get(6)) == 1);
    }

    static List<Entry> entries(List<Object> flat) {
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

    /** Whether its key holds something else than a sorted set. */
    public boolean isBroken(JobSet set) {
        String type = connection.run(commands -> commands.type(set.key(keys)));
        return !type.equals("zset") && !type.equals("none");
    }

    /** How many jobs are in a set. */
    public long size(JobSet set) {
        return connection.run(commands -> commands.zcard(set.key(keys)));
    }

    /** The same for all sets; 0 where the key is no sorted set. */
    public Map<JobSet, Long> sizes() {
        List<Long> answers = connection.run(commands -> Replies.all(Arrays.stream(JobSet.values())
                .map(set -> Replies.unlessWrongType(commands.zcard(set.key(keys)), 0L))
                .toList()));
        Map<JobSet, Long> sizes = new EnumMap<>(JobSet.class);
        for (JobSet set : JobSet.values()) {
            sizes.put(set, answers.get(set.ordinal()));
        }
        return sizes;
    }

    /** The score under which a job is stored, or null if it isn't there. */
    public @Nullable Double score(JobSet set, byte[] stored) {
        return connection.<@Nullable Double>run(commands -> commands.zscore(set.key(keys), stored));
    }

    /** So many jobs beginning with a place, which is 0 for the lowest score. */
    public List<Entry> lowest(JobSet set, long from, int count) {
        return entries(reading.all(set.key(keys), Order.LOWEST, from, count));
    }

    /** So many jobs beginning with a place, which is 0 for the highest score. */
    public List<Entry> highest(JobSet set, long from, int count) {
        return entries(reading.all(set.key(keys), Order.HIGHEST, from, count));
    }

    /** Jobs by score, both bounds included, lowest first, leaving out so many of the first ones. */
    public List<Entry> between(JobSet set, double least, double most, long skip, int count) {
        return entries(reading.all(set.key(keys), Order.RISING, skip, count, bound(least), bound(most)));
    }

    /** As many of the same as one call carries: no more than {@link CallLimits#BYTES_TO_MOVE}, unless the first one alone is larger. */
    public Portion<Entry> someBetween(JobSet set, double least, double most, long skip, int count) {
        EntryReader.Part part = reading.some(
                set.key(keys), Order.RISING, skip, count, CallLimits.BYTES_TO_MOVE, bound(least), bound(most));
        return new Portion<>(entries(part.flat()), part.cut());
    }

    private static String bound(double score) {
        return Double.isInfinite(score) ? score > 0 ? "+inf" : "-inf" : Double.toString(score);
    }

    /**
     * The entries of one score.
     *
     * @param before entries that come before them
     */
    public record Span(long before, long count) {}

    /** How many come before a job, counted from the lowest or from the highest score; null if it isn't there. */
    public @Nullable Long rank(JobSet set, byte[] stored, boolean highestFirst) {
        return connection.<@Nullable Long>run(commands ->
                highestFirst ? commands.zrevrank(set.key(keys), stored) : commands.zrank(set.key(keys), stored));
    }

    /** Where the jobs of exactly that score stand, counted from the lowest or from the highest one. */
    public Span span(JobSet set, double score, boolean highestFirst) {
        Boundary<Double> beyond = Boundary.excluding(score);
        Range<Double> before = highestFirst
                ? Range.from(beyond, Boundary.<Double>unbounded())
                : Range.from(Boundary.<Double>unbounded(), beyond);
        List<Long> counts = connection.run(commands -> Replies.all(List.of(
                commands.zcount(set.key(keys), before), commands.zcount(set.key(keys), Range.create(score, score)))));
        return new Span(counts.get(0), counts.get(1));
    }

    /**
     * One step through a whole set, in no order, looking for a text in the stored bytes. What is in the set from the first step to the last
     * is found at least once, maybe more often.
     *
     * @param cursor {@value #FIRST_STEP} for the first step, then that of the last one
     * @param count entries to look at, roughly; fewer if what they hold is large
     */
    public Step scan(JobSet set, String cursor, String text, int count) {
        EntryReader.Step step = reading.scanSet(set.key(keys), cursor, count, "*" + escapeGlob(text) + "*");
        return new Step(entries(step.flat()), step.cursor(), step.isLast(), step.looks());
    }

    private static String escapeGlob(String text) {
        return text.replaceAll("[\\\\*?\\[]", "\\\\$0");
    }

    /** Removes all jobs of a set in one step. Returns how many there were. */
    public long clear(JobSet set) {
        return connection.<Long>callForOne(
                LuaScript.CLEAR, ScriptOutputType.INTEGER, new byte[][] {set.key(keys)}, new byte[][] {});
    }

    /** To the back of a queue. */
    public Move toQueue(byte[] stored, String queue, byte[] payload) {
        return new Move(stored, "queue", keys.queue(queue), null, queue, "", payload, List.of());
    }

    /** Into a set, or to another place in the same one. */
    public Move toSet(byte[] stored, JobSet set, Instant at, byte[] payload) {
        return new Move(stored, "set", set.key(keys), set, "", seconds(at), payload, List.of());
    }

    private static String seconds(Instant at) {
        return String.format(Locale.ROOT, "%d.%06d", at.getEpochSecond(), at.getNano() / 1_000);
    }

    /** The score that a job has when it is moved to that time. */
    public static double score(Instant at) {
        return Double.parseDouble(seconds(at));
    }

    /** Into a set, due after a delay by the server's clock. */
    public Move toSet(byte[] stored, JobSet set, Duration delay, byte[] payload) {
        String seconds = String.format(Locale.ROOT, "now+%d.%03d", delay.toSeconds(), delay.toMillisPart());
        return new Move(stored, "set", set.key(keys), set, "", seconds, payload, List.of());
    }

    /** Into the dead set, which is trimmed. */
    public Move toDead(byte[] stored, byte[] payload) {
        return new Move(stored, "dead", keys.dead(), JobSet.DEAD, "", "", payload, List.of());
    }

    /** Nowhere: a middleware doesn't want it. */
    public Move discard(byte[] stored) {
        return new Move(stored, "discarded", NOTHING, null, "", "", NOTHING, List.of());
    }

    /** Nowhere: it is deleted for good. */
    public Move delete(byte[] stored) {
        return new Move(stored, "deleted", NOTHING, null, "", "", NOTHING, List.of());
    }

    /**
     * Moves jobs out of a set, large ones in several calls. Returns per job 1 if it was moved, 0 if it was gone, -1 if the target's key has the
     * wrong type.
     */
    public List<Integer> move(JobSet from, List<Move> moves) {
        return move(from.key(keys), moves);
    }

    /** Moves jobs out of a queue; see {@link #move(JobSet, List)}. */
    public List<Integer> moveFromQueue(String queue, List<Move> moves) {
        return move(keys.queue(queue), moves);
    }

    private List<Integer> move(byte[] source, List<Move> moves) {
        List<Integer> results = new ArrayList<>(moves.size());
        for (List<Move> part : CallLimits.cut(moves, Move::size)) {
            results.addAll(moveTogether(source, part));
        }
        return results;
    }

    private List<Integer> moveTogether(byte[] source, List<Move> moves) {
        List<byte[]> all = new ArrayList<>(List.of(source, keys.queues()));
        List<byte[]> arguments = new ArrayList<>();
        arguments.add(Bytes.of(dead.maxJobs()));
        arguments.add(Bytes.of(dead.retention().toSeconds()));
        arguments.add(Bytes.of(moves.size()));
        EffectEncoder effects = new EffectEncoder();
        int number = 0;
        for (Move move : moves) {
            number++;
            effects.add(number, move.effects());
            int index = indexOf(all, move.target());
            arguments.add(move.stored());
            arguments.add(Bytes.of(move.what()));
            arguments.add(Bytes.of(index));
            arguments.add(Bytes.of(move.queue()));
            arguments.add(Bytes.of(move.score()));
            arguments.add(move.payload());
        }
        effects.appendTo(all, arguments);
        return connection.call(LuaScript.MOVE, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new)).stream()
                .map(result -> (int) Bytes.number(result))
                .toList();
    }

    /** The index of a target among the keys, counted as the script does: the first after the two fixed ones is 1. */
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
