package dev.jobs.engine;

import dev.jobs.redis.DurationBuckets;
import dev.jobs.redis.JobMetrics.Counted;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/** Executions of one job: how many took how long, how long together, and how many failed, whose time is not counted. Thread-safe. */
final class Tally {

    private static final int MILLIS = DurationBuckets.COUNT;
    private static final int FAILED = DurationBuckets.COUNT + 1;

    private final AtomicLongArray numbers = new AtomicLongArray(DurationBuckets.COUNT + 2);

    void add(boolean failed, long millis) {
        if (failed) {
            numbers.getAndIncrement(FAILED);
            return;
        }
        if (millis > 0) {
            numbers.getAndAdd(MILLIS, millis); // first, since a time is only taken together with executions
        }
        numbers.getAndIncrement(DurationBuckets.of(millis));
    }

    /** Takes away what was added since the last time; null if that is nothing. */
    @Nullable Counted take(String name) {
        long[] histogram = new long[DurationBuckets.COUNT];
        long failed = numbers.getAndSet(FAILED, 0);
        long executions = failed;
        for (int bucket = 0; bucket < histogram.length; bucket++) {
            histogram[bucket] = numbers.getAndSet(bucket, 0);
            executions += histogram[bucket];
        }
        if (executions == 0) {
            return null;
        }
        return new Counted(name, failed, numbers.getAndSet(MILLIS, 0), histogram);
    }
}
