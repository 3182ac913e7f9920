package dev.jobs.metrics;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Executions of one job in a period.
 *
 * @param name the name of the job for people
 * @param processed how many executions there were, failed ones included
 * @param failed how many of them failed
 * @param time the total duration of the others; failed executions are not timed
 * @param series the same for each step with an execution, oldest first
 */
public record Executions(String name, long processed, long failed, Duration time, List<Point> series) {

    public Executions {
        series = List.copyOf(series);
    }

    /** The mean duration of the executions that didn't fail; zero if there were none. */
    public Duration mean() {
        return mean(processed, failed, time);
    }

    private static Duration mean(long processed, long failed, Duration time) {
        return processed > failed ? time.dividedBy(processed - failed) : Duration.ZERO;
    }

    /**
     * One step of the period.
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
