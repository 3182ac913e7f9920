package dev.jobs.metrics;

import java.time.LocalDate;
import java.util.List;

/**
 * Executions on each of the last days, oldest first; the last one is today.
 */
public record History(List<Day> days) {

    public History {
        days = List.copyOf(days);
    }

    /**
     * One day in UTC.
     *
     * @param processed executions, failed ones included
     * @param failed executions that failed
     */
    public record Day(LocalDate date, long processed, long failed) {}
}
