package dev.jobs.admin;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How long the executions of one job took that didn't fail. A process that runs Ruby or Java counts at most 65,535 of a bucket in a minute.
 *
 * @param buckets all 26 of them, the shortest first
 */
public record Histogram(String name, List<Bucket> buckets) {

    public Histogram {
        buckets = List.copyOf(buckets);
    }

    /**
     * Executions that took less than a bound and not less than the one before.
     *
     * @param below the bound; null for the last bucket, which has none
     */
    public record Bucket(@Nullable Duration below, long count) {}
}
