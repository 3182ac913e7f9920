package dev.jobs.metrics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Durations of the executions of one job that didn't fail, or times that jobs waited. For
 * {@link MetricsAdmin#histogram}, a process counts at most 65,535 executions per bucket and minute.
 *
 * @param name of the job or queue
 * @param buckets all 26 of them, the shortest first
 */
public record Histogram(String name, List<Bucket> buckets) {

    public Histogram {
        buckets = List.copyOf(buckets);
    }

    /** Of numbers of which the first of a bucket is at this index. */
    static Histogram of(String name, long[] numbers, int first) {
        List<Bucket> buckets = new ArrayList<>();
        for (int bucket = 0; bucket < DurationBuckets.COUNT; bucket++) {
            buckets.add(new Bucket(DurationBuckets.bound(bucket), numbers[first + bucket]));
        }
        return new Histogram(name, buckets);
    }

    /**
     * Executions that took less than the bound, but at least the bound before.
     *
     * @param below the bound; null for the last bucket, which has none
     */
    public record Bucket(@Nullable Duration below, long count) {}

    /** The number of executions. */
    public long count() {
        return buckets.stream().mapToLong(Bucket::count).sum();
    }

    /**
     * A duration that this part of the executions did not exceed, estimated within its bucket: below 20 ms it says
     * little, and in the last bucket it is the least that it can be. Null if there were no executions.
     *
     * @param share above 0, at most 1, such as 0.95
     */
    public @Nullable Duration percentile(double share) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("'share' must be above 0 and at most 1 but was " + share);
        }
        double wanted = share * count();
        double before = 0;
        Duration from = Duration.ZERO;
        for (Bucket bucket : buckets) {
            Duration below = bucket.below();
            if (bucket.count() > 0 && before + bucket.count() >= wanted) {
                return below == null ? from : from.plus(part(below.minus(from), (wanted - before) / bucket.count()));
            }
            before += bucket.count();
            from = below == null ? from : below;
        }
        return null;
    }

    private static Duration part(Duration length, double share) {
        return Duration.ofNanos((long) (length.toNanos() * share));
    }
}
