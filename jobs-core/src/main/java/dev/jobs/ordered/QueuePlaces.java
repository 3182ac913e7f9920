package dev.jobs.ordered;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallLimits.Portion;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.store.EntryReader;
import dev.jobs.store.EntryReader.Order;
import dev.jobs.store.JobQueues;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.ScoredValue;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Reads the jobs of a queue wherever they wait: in its list, whose jobs are taken first, and in the sorted set of an
 * ordered queue. Positions count through both. Thread-safe.
 */
@Internal
public final class QueuePlaces {

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final EntryReader reading;

    public QueuePlaces(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.keys = keys;
        this.reading = new EntryReader(connection);
    }

    /**
     * Of the results of a call for jobs in one place, the indexes of those that are not there, but maybe in the other.
     */
    public static <T> List<Integer> missing(List<T> results, T gone) {
        return IntStream.range(0, results.size())
                .filter(i -> results.get(i).equals(gone))
                .boxed()
                .toList();
    }

    /** The number of jobs in both places. */
    public long size(String queue) {
        return listed(queue) + inOrder(queue);
    }

    private long listed(String queue) {
        return connection.run(commands -> commands.llen(keys.queue(queue)));
    }

    /** The number of jobs in the sorted set; 0 if the queue isn't ordered. */
    long inOrder(String queue) {
        return keys.ordered(queue) == null ? 0 : connection.run(commands -> commands.zcard(keys.order(queue)));
    }

    /** What waits in a sorted set, and the keys with the latest turns. */
    public JobQueues.Turns turns(OrderedQueue queue, int most) {
        Long waiting = Replies.unlessWrongType(() -> connection.run(commands -> commands.zcard(queue.set())))
                .orElse(0L);
        if (waiting == 0 || queue.rule().by() != OrderRule.By.FAIR) {
            return new JobQueues.Turns(waiting, 0, List.of());
        }
        Range<Double> turns = Range.from(Range.Boundary.excluding(0.0), Range.Boundary.unbounded());
        List<ScoredValue<byte[]>> head = connection.run(commands -> commands.zrangeWithScores(queue.set(), 0, 0));
        Long tagged = Replies.unlessWrongType(() -> connection.run(commands -> commands.zcount(queue.tags(), turns)))
                .orElse(0L);
        List<ScoredValue<byte[]>> latest = Replies.unlessWrongType(() -> connection.run(
                        commands -> commands.zrevrangebyscoreWithScores(queue.tags(), turns, Limit.create(0, most))))
                .orElse(List.of());
        double present = head.isEmpty() ? 0 : Math.floor(head.get(0).getScore());
        return new JobQueues.Turns(
                waiting,
                tagged,
                latest.stream()
                        .map(each -> new JobQueues.Turn(
                                Bytes.text(each.getValue()).substring(1), rounds(each.getScore() - present)))
                        .toList());
    }

    private static long rounds(double distance) {
        return 1 + (long) Math.ceil(Math.max(0, distance) / OrderRule.TURN);
    }

    /** A number of jobs from an index, which is 0 for the one that is taken next. */
    public List<byte[]> oldest(String queue, long from, int count) {
        if (keys.ordered(queue) == null) {
            return stored(reading.all(keys.queue(queue), Order.OLDEST, from, count), 1);
        }
        List<byte[]> found = new ArrayList<>(stored(reading.all(keys.queue(queue), Order.OLDEST, from, count), 1));
        if (found.size() < count) {
            long skip = found.isEmpty() ? Math.max(0, from - listed(queue)) : 0;
            found.addAll(stored(reading.all(keys.order(queue), Order.LOWEST, skip, count - found.size()), 2));
        }
        return found;
    }

    /** The same from the other end. */
    public List<byte[]> newest(String queue, long from, int count) {
        if (keys.ordered(queue) == null) {
            return stored(reading.all(keys.queue(queue), Order.NEWEST, from, count), 1);
        }
        List<byte[]> found = new ArrayList<>(stored(reading.all(keys.order(queue), Order.HIGHEST, from, count), 2));
        if (found.size() < count) {
            long skip = found.isEmpty() ? Math.max(0, from - inOrder(queue)) : 0;
            found.addAll(stored(reading.all(keys.queue(queue), Order.NEWEST, skip, count - found.size()), 1));
        }
        return found;
    }

    /** As many as one call returns, the next ones first; from both places only if the first one has none. */
    public Portion<byte[]> someOldest(String queue, long from, int count) {
        EntryReader.Part part = reading.some(
                keys.queue(queue),
                Order.OLDEST,
                from,
                count,
                connection.limits().bytes());
        if (keys.ordered(queue) == null) {
            return new Portion<>(stored(part.flat(), 1), part.cut());
        }
        if (!part.flat().isEmpty()) {
            return new Portion<>(stored(part.flat(), 1), part.flat().size() < count);
        }
        long skip = Math.max(0, from - listed(queue));
        part = reading.some(
                keys.order(queue),
                Order.LOWEST,
                skip,
                count,
                connection.limits().bytes());
        return new Portion<>(stored(part.flat(), 2), part.cut());
    }

    private static List<byte[]> stored(List<Object> flat, int width) {
        List<byte[]> stored = new ArrayList<>(flat.size() / width);
        for (int i = 0; i < flat.size(); i += width) {
            stored.add((byte[]) flat.get(i));
        }
        return stored;
    }
}
