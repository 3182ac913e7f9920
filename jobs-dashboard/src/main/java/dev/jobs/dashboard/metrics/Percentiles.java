package dev.jobs.dashboard.metrics;

import dev.jobs.metrics.Histogram;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Durations in milliseconds that a half, 95 % and 99 % did not exceed; all null if there were none. */
record Percentiles(
        @Nullable Double p50,
        @Nullable Double p95,
        @Nullable Double p99) {

    static Percentiles of(Histogram histogram) {
        return new Percentiles(millis(histogram, 0.5), millis(histogram, 0.95), millis(histogram, 0.99));
    }

    private static @Nullable Double millis(Histogram histogram, double share) {
        Duration percentile = histogram.percentile(share);
        return percentile == null ? null : percentile.toNanos() / 1_000_000.0;
    }
}
