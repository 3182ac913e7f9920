package dev.jobs.metrics;

import java.time.Instant;
import java.util.List;

/**
 * How long the executions of one job, or those from one queue, ran and waited in a period. Only workers of Java count
 * them, in steps of ten minutes.
 *
 * @param name of the job, for people, or of the queue
 * @param executions how many there were, failed ones included
 * @param failed how many of them failed
 * @param ran how long those ran that didn't fail
 * @param waited how long all of them had been in their queue before
 * @param series the same for each ten minutes with an execution, oldest first
 */
public record Timings(
        Of of, String name, long executions, long failed, Histogram ran, Histogram waited, List<Count> series) {

    /** What is timed. */
    public enum Of {
        JOB,
        QUEUE
    }

    /**
     * The executions in ten minutes.
     *
     * @param start when they begin
     */
    public record Count(Instant start, long executions, long failed) {}

    public Timings {
        series = List.copyOf(series);
    }
}
