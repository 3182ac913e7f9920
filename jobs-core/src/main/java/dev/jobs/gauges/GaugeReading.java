package dev.jobs.gauges;

import dev.jobs.Internal;
import dev.jobs.admin.QueueInfo;
import dev.jobs.admin.Stats;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * What gauges show of one installation.
 *
 * @param at when it was made: another time means another reading
 * @param age how long ago that was
 * @param queues the largest ones
 * @param openBatches unfinished batches; NaN if they can't be read
 * @param batchError by how much the counters of batches differ from the states of their jobs, as far as known
 */
@Internal
public record GaugeReading(
        Instant at,
        Duration age,
        Stats stats,
        List<QueueInfo> queues,
        List<AtLimit> limits,
        double openBatches,
        double batchError) {

    /**
     * A limit.
     *
     * @param held jobs that have a permit
     * @param waiting jobs that are parked
     * @param longestWait how long the parked job has waited that was enqueued first
     */
    public record AtLimit(String name, long held, long waiting, Duration longestWait) {}

    public GaugeReading {
        queues = List.copyOf(queues);
        limits = List.copyOf(limits);
    }
}
