package dev.jobs.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * What came of executions within a span of time.
 *
 * @param from when the span begins; its first step may have begun long before the first execution
 * @param step how finely it is divided: a minute, or ten
 * @param steps how many steps the span has; the last one has not ended yet
 * @param jobs those that were executed, the one that took most time first; at most 10,000
 */
public record Metrics(Instant from, Duration step, int steps, List<Executions> jobs) {

    public Metrics {
        jobs = List.copyOf(jobs);
    }
}
