package dev.jobs.benchmarks.driver;

import java.util.Arrays;
import java.util.Collection;

/** Quantiles of measured times. */
public final class Quantiles {

    private final long[] sorted;

    public Quantiles(Collection<Long> nanos) {
        this.sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
    }

    public long at(double share) {
        return sorted[(int) Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
    }

    public Answer in(Answer answer) {
        return answer.with("samples", sorted.length)
                .with("p50_nanos", at(0.5))
                .with("p99_nanos", at(0.99))
                .with("max_nanos", sorted[sorted.length - 1])
                .with("mean_nanos", Math.round(Arrays.stream(sorted).average().orElse(Double.NaN)));
    }
}
