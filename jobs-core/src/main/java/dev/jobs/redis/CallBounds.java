package dev.jobs.redis;

import dev.jobs.Internal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The bounds of one call to Redis. Commands behind it on the connection wait for it, and it must complete within one
 * command timeout, so larger amounts take several calls.
 *
 * @param bytes maximum bytes of payloads of a call in either direction, unless it carries a single larger one
 */
@Internal
public record CallBounds(int bytes) {

    /** A megabyte. Tests have less, so that a few small jobs are as many as a call carries. */
    public static final CallBounds STANDARD = new CallBounds(1 << 20);

    /** Maximum number of jobs of a call. */
    public static final int JOBS = 100;

    /**
     * The part of the requested items that one call returned.
     *
     * @param more whether there are more of them
     */
    public record Portion<T>(List<T> items, boolean more) {}

    /** The maximum for jobs read in order to move them: the move sends each twice, its old and its new bytes. */
    public int bytesToMove() {
        return bytes / 2;
    }

    /**
     * Cuts a list into parts of at most {@value #JOBS} elements and {@link #bytes}, each at least one element.
     *
     * @param size bytes of an element
     */
    public <T> List<List<T>> cut(List<T> all, ToLongFunction<? super T> size) {
        List<List<T>> parts = new ArrayList<>();
        int from = 0;
        long together = 0;
        for (int at = 0; at < all.size(); at++) {
            long next = size.applyAsLong(all.get(at));
            if (at > from && (at - from == JOBS || together + next > bytes)) {
                parts.add(all.subList(from, at));
                from = at;
                together = 0;
            }
            together += next;
        }
        if (from < all.size()) {
            parts.add(all.subList(from, all.size()));
        }
        return parts;
    }

    /** Cuts a list of small elements into parts of at most {@code size}. */
    public static <T> List<List<T>> slices(List<T> all, int size) {
        List<List<T>> slices = new ArrayList<>();
        for (int from = 0; from < all.size(); from += size) {
            slices.add(all.subList(from, Math.min(from + size, all.size())));
        }
        return slices;
    }
}
