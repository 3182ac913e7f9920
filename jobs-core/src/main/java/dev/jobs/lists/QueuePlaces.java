package dev.jobs.lists;

import dev.jobs.Internal;
import dev.jobs.lists.EntryReader.Order;
import dev.jobs.redis.CallBounds.Portion;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Reads the jobs of a queue wherever they wait: in its list, whose jobs are taken first, and in its sorted set, which a
 * queue may have although this process doesn't know it as sorted. Positions count through both. Thread-safe.
 */
@Internal
public final class QueuePlaces {

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final EntryReader reading;

    QueuePlaces(RedisConnection connection, RedisKeys keys) {
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
    long size(String queue) {
        return listed(queue) + inOrder(queue);
    }

    private long listed(String queue) {
        return connection.run(commands -> commands.llen(keys.queue(queue)));
    }

    private long inOrder(String queue) {
        return connection.run(commands -> commands.zcard(keys.order(queue)));
    }

    /** A number of jobs from an index, which is 0 for the one that is taken next. */
    List<byte[]> oldest(String queue, long from, int count) {
        List<byte[]> found = new ArrayList<>(stored(reading.all(keys.queue(queue), Order.OLDEST, from, count), 1));
        if (found.size() < count) {
            long skip = found.isEmpty() ? Math.max(0, from - listed(queue)) : 0;
            found.addAll(stored(reading.all(keys.order(queue), Order.LOWEST, skip, count - found.size()), 2));
        }
        return found;
    }

    /** The same from the other end. */
    List<byte[]> newest(String queue, long from, int count) {
        List<byte[]> found = new ArrayList<>(stored(reading.all(keys.order(queue), Order.HIGHEST, from, count), 2));
        if (found.size() < count) {
            long skip = found.isEmpty() ? Math.max(0, from - inOrder(queue)) : 0;
            found.addAll(newestListed(queue, skip, count - found.size()));
        }
        return found;
    }

    /** The same of the list alone. */
    List<byte[]> newestListed(String queue, long from, int count) {
        return stored(reading.all(keys.queue(queue), Order.NEWEST, from, count), 1);
    }

    /** All jobs of the sorted set. */
    ScanStep.Steps<byte[]> scanInOrder(String queue) {
        return (cursor, count) -> {
            EntryReader.Step step = reading.scanSet(keys.order(queue), cursor, count, "");
            return step.with(stored(step.flat(), 2));
        };
    }

    /** As many as one call returns, the next ones first; from both places only if the first one has none. */
    Portion<byte[]> someOldest(String queue, long from, int count) {
        EntryReader.Part part = reading.some(
                keys.queue(queue),
                Order.OLDEST,
                from,
                count,
                connection.bounds().bytes());
        if (!part.flat().isEmpty()) {
            return new Portion<>(stored(part.flat(), 1), part.flat().size() < count);
        }
        long skip = Math.max(0, from - listed(queue));
        part = reading.some(
                keys.order(queue),
                Order.LOWEST,
                skip,
                count,
                connection.bounds().bytes());
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
