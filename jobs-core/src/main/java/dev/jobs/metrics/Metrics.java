package dev.jobs.metrics;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Executions in a period, by job.
 *
 * @param from when the period begins, even if the first execution was later
 * @param step the length of its steps: one minute, or ten
 * @param steps how many steps it has; the last one has not ended yet
 * @param jobs the jobs that were executed, the one with the largest total duration first; at most 10,000
 */
public record Metrics(Instant from, Duration step, int steps, List<Executions> jobs) {

    public Metrics {
        jobs = List.copyOf(jobs);
    }
}
