package dev.jobs.batches;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Compares the counters of batches with the states of their jobs. Thread-safe. */
@Internal
public final class BatchCheck {

    /** How many states one call reads. */
    static final int SPAN = 1 << 20;

    /** How often a batch is read that has too many jobs for one call and changes in between. */
    private static final int ATTEMPTS = 3;

    /** The letters of each class of states; the script returns the classes' counters in the same order. */
    private static final List<String> CLASSES = List.of("qwQW", "rvRV", "s", "f", "dx", "k", "l");

    private final RedisConnection connection;
    private final BatchKeys names;
    private final int span;

    public BatchCheck(RedisConnection connection, RedisKeys keys) {
        this(connection, keys, SPAN);
    }

    BatchCheck(RedisConnection connection, RedisKeys keys, int span) {
        this.connection = connection;
        this.names = new BatchKeys(keys);
        this.span = span;
    }

    /**
     * By how much the counters of a batch differ from the states of its jobs: the sum of the absolute differences, 0 if
     * they agree or there is no such batch. A batch of up to 1,048,576 jobs is read at one moment. A larger one is read
     * in several calls, up to three times if its counters change in between; if they change each time, the result is 0.
     *
     * <p>Each job costs a byte on the wire, and each call at most a megabyte: about a millisecond of Redis, and of this
     * process. A meter should check a few batches at a time, such as {@link BatchReader#open} returns.
     *
     * @throws dev.jobs.JobStoreException if Redis can't be asked, or a key of the batch holds another type
     */
    public long error(String id) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Long error = errorUnlessChanged(id);
            if (error != null) {
                return error;
            }
        }
        return 0;
    }

    private @Nullable Long errorUnlessChanged(String id) {
        long[] byLetter = new long[256];
        List<Long> counters = null;
        long from = 0;
        byte[] states;
        do {
            List<Object> answer = connection.call(
                    BatchScripts.CHECK,
                    new byte[][] {names.batch(id), names.states(id, false), names.states(id, true)},
                    new byte[][] {Bytes.of(from), Bytes.of(span)});
            if (answer.isEmpty()) {
                return 0L;
            }
            List<Long> now = answer.subList(0, answer.size() - 1).stream()
                    .map(BatchCheck::number)
                    .toList();
            if (counters != null && !counters.equals(now)) {
                return null;
            }
            counters = now;
            states = (byte[]) answer.get(answer.size() - 1);
            for (byte state : states) {
                byLetter[state & 0xff]++;
            }
            from += states.length;
        } while (states.length == span);
        return difference(counters, byLetter, from);
    }

    private static long number(@Nullable Object counter) {
        return counter == null ? 0 : Bytes.number(counter);
    }

    private static long difference(List<Long> counters, long[] byLetter, long states) {
        long error = Math.abs(counters.get(0) - (states - byLetter[0]));
        for (int i = 0; i < CLASSES.size(); i++) {
            long jobs =
                    CLASSES.get(i).chars().mapToLong(letter -> byLetter[letter]).sum();
            error += Math.abs(counters.get(i + 1) - jobs);
        }
        return error;
    }
}
