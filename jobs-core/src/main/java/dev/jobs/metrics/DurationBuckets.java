package dev.jobs.metrics;

import dev.jobs.Internal;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The buckets of Sidekiq's histograms of execution times. */
@Internal
public final class DurationBuckets {

    private static final long[] BOUNDS = {
        20, 30, 45, 65, 100, 150, 225, 335, 500, 750, 1_100, 1_700, 2_500, 3_800, 5_750, 8_500, 13_000, 20_000, 30_000,
        45_000, 65_000, 100_000, 150_000, 225_000, 335_000
    };

    /** The number of buckets. */
    public static final int COUNT = BOUNDS.length + 1;

    private DurationBuckets() {}

    /** The index of the bucket of a duration: the first one whose bound is above it. */
    public static int of(long millis) {
        int found = Arrays.binarySearch(BOUNDS, millis);
        return found < 0 ? -found - 1 : found + 1;
    }

    /** The exclusive upper bound of a bucket; null for the last one, which has none. */
    public static @Nullable Duration bound(int bucket) {
        return bucket < BOUNDS.length ? Duration.ofMillis(BOUNDS[bucket]) : null;
    }

    /**
     * Adds a stored histogram: 16-bit numbers up to the last one that is not zero. Bytes after the last bucket are
     * ignored.
     */
    static void addTo(long[] histogram, byte[] stored) {
        for (int i = 0; i < COUNT && 2 * i + 1 < stored.length; i++) {
            histogram[i] += (stored[2 * i] & 0xff) << 8 | stored[2 * i + 1] & 0xff;
        }
    }
}
