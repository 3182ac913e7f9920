package dev.jobs.dashboard.metrics;

import dev.jobs.metrics.Executions;
import dev.jobs.metrics.Timings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Executions over time for a drawing of the size of a word.
 *
 * @param counts how many there were in each part of the period, failed ones included
 * @param failed how many of them failed
 */
record Spark(long[] counts, long[] failed) {

    private static final int MOST_PARTS = 30;

    /** @param steps the steps of the period; as many of them go together as the drawing needs */
    static Spark of(Executions job, Instant from, Duration step, int steps) {
        Spark spark = empty(steps);
        job.series()
                .forEach(
                        point -> spark.add(steps, index(from, step, point.start()), point.processed(), point.failed()));
        return spark;
    }

    static Spark of(@Nullable Timings timings, Instant from, Duration step, int steps) {
        Spark spark = empty(steps);
        List<Timings.Count> series = timings == null ? List.of() : timings.series();
        series.forEach(count -> spark.add(steps, index(from, step, count.start()), count.executions(), count.failed()));
        return spark;
    }

    private static Spark empty(int steps) {
        int parts = Math.min(steps, MOST_PARTS);
        return new Spark(new long[parts], new long[parts]);
    }

    private static long index(Instant from, Duration step, Instant at) {
        return Duration.between(from, at).dividedBy(step);
    }

    private void add(int steps, long index, long count, long failures) {
        int part = (int) Math.max(0, Math.min(counts.length - 1, index * counts.length / steps));
        counts[part] += count;
        failed[part] += failures;
    }
}
