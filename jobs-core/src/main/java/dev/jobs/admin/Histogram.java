package dev.jobs.admin;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Durations of the executions of one job that didn't fail. A process counts at most 65,535 executions per bucket and
 * minute.
 *
 * @param buckets all 26 of them, the shortest first
 */
public record Histogram(String name, List<Bucket> buckets) {

    public Histogram {
        buckets = List.copyOf(buckets);
    }

    /**
     * Executions that took less than the bound, but at least the bound before.
     *
     * @param below the bound; null for the last bucket, which has none
     */
    public record Bucket(@Nullable Duration below, long count) {}
}
