package dev.jobs.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Executions of one job within a span of time.
 *
 * @param name what people call the job
 * @param processed how many executions there were, failed ones included
 * @param failed how many of them failed
 * @param time how long the others took together; what failed is not timed
 * @param series the same for each step in which there was an execution, oldest first
 */
public record Executions(String name, long processed, long failed, Duration time, List<Point> series) {

    public Executions {
        series = List.copyOf(series);
    }

    /** How long an execution that didn't fail took on average; zero if there was none. */
    public Duration mean() {
        return mean(processed, failed, time);
    }

    private static Duration mean(long processed, long failed, Duration time) {
        return processed > failed ? time.dividedBy(processed - failed) : Duration.ZERO;
    }

    /**
     * One step of the span.
     *
     * @param start when it begins
     */
    public record Point(Instant start, long processed, long failed, Duration time) {

        /** As {@link Executions#mean()}. */
        public Duration mean() {
            return Executions.mean(processed, failed, time);
        }
    }
}
