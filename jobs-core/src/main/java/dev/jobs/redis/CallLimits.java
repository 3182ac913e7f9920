package dev.jobs.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * How much one call to Redis carries: whatever stands behind it on the line waits for so long, and it has to arrive within one command timeout.
 * What is larger takes several calls.
 */
public final class CallLimits {

    /** A call has no more bytes of payloads than this in either direction, unless it carries a single one that is larger. */
    public static final int BYTES = 1 << 20;

    /** The same for jobs that are read to be moved, since they go back twice: as they are stored and as they are to be stored. */
    public static final int BYTES_TO_MOVE = BYTES / 2;

    /** A call carries no more jobs than this, however small they are. */
    public static final int JOBS = 100;

    /**
     * What one call brought of what was asked for.
     *
     * @param more whether there is more of it
     */
    public record Portion<T>(List<T> items, boolean more) {}

    private CallLimits() {}

    /**
     * Cuts a list into parts of at most {@value #JOBS} elements and {@value #BYTES} bytes, each at least one element.
     *
     * @param size bytes of an element
     */
    public static <T> List<List<T>> cut(List<T> all, ToLongFunction<? super T> size) {
        List<List<T>> parts = new ArrayList<>();
        int from = 0;
        long bytes = 0;
        for (int at = 0; at < all.size(); at++) {
            long next = size.applyAsLong(all.get(at));
            if (at > from && (at - from == JOBS || bytes + next > BYTES)) {
                parts.add(all.subList(from, at));
                from = at;
                bytes = 0;
            }
            bytes += next;
        }
        if (from < all.size()) {
            parts.add(all.subList(from, all.size()));
        }
        return parts;
    }
}
