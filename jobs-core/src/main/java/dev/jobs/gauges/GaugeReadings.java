package dev.jobs.gauges;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.admin.ProcessInfo;
import dev.jobs.admin.ProcessesAdmin;
import dev.jobs.admin.QueuesAdmin;
import dev.jobs.admin.Stats;
import dev.jobs.batches.BatchErrors;
import dev.jobs.batches.BatchesAdmin;
import dev.jobs.gauges.GaugeReading.AtLimit;
import dev.jobs.limits.LimitsAdmin;
import dev.jobs.processes.SharedReading;
import dev.jobs.processes.SharedReading.Last;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what gauges show. All processes show the same, so one reads it for all and leaves it in Redis: it asks all
 * queues, limits and processes, and would do so as often as there are processes. Confined to one thread.
 */
@Internal
public final class GaugeReadings {

    private static final Logger log = LoggerFactory.getLogger(GaugeReadings.class);

    /** How many queues and limits are shown, and how long their names may be together. */
    private static final int MOST = 200;

    private static final int MOST_CHARACTERS = 50_000;

    private final SharedReading shared;
    private final QueuesAdmin queues;
    private final ProcessesAdmin processes;
    private final LimitsAdmin limits;
    private final StatsSource stats;
    private final BatchErrors batches;
    private final Clock clock;

    /** The last check of batches that this process made or read. */
    private BatchErrors.Found found = BatchErrors.Found.NOTHING;

    /** Makes statistics for a caller that has read some of it. */
    @FunctionalInterface
    public interface StatsSource {

        Stats of(Map<String, Long> queueSizes, List<ProcessInfo> live);
    }

    public GaugeReadings(
            SharedReading shared,
            QueuesAdmin queues,
            ProcessesAdmin processes,
            LimitsAdmin limits,
            BatchesAdmin batches,
            StatsSource stats,
            Clock clock) {
        this.shared = shared;
        this.queues = queues;
        this.processes = processes;
        this.limits = limits;
        this.stats = stats;
        this.batches = new BatchErrors(batches);
        this.clock = clock;
    }

    /**
     * The last reading that a process made, or one made now if it is older than some seconds. Null if another process
     * is about to make the first one.
     *
     * @throws JobStoreException if Redis can't be read now
     */
    public @Nullable GaugeReading read() {
        Last last = shared.last();
        GaugeReadingText.Read before = last.exists() ? GaugeReadingText.parse(last) : null;
        if (before != null) {
            found = before.batches();
        }
        if (!last.mine()) {
            return before == null ? null : before.reading();
        }
        GaugeReading made = make();
        if (!last.shared()) {
            return made;
        }
        try {
            return GaugeReadingText.at(made, shared.store(GaugeReadingText.write(made, found)));
        } catch (JobStoreException e) {
            if (e.isAway()) {
                throw e;
            }
            log.debug("A reading of gauges can't be shared", e);
            return made;
        }
    }

    private GaugeReading make() {
        Map<String, Long> sizes = queues.sizes();
        List<String> largest = some(sizes.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
                .map(Map.Entry::getKey)
                .toList());
        List<AtLimit> atLimits = some(limits.names()).stream()
                .map(limits::get)
                .map(each -> new AtLimit(each.name(), each.held(), each.waiting(), each.longestWait()))
                .toList();
        Stats figures = stats.of(sizes, processes.all());
        found = batches.read(found);
        return new GaugeReading(
                clock.instant(),
                Duration.ZERO,
                figures,
                queues.named(largest),
                atLimits,
                found.unfinished(),
                found.error());
    }

    private static List<String> some(List<String> names) {
        List<String> some = new ArrayList<>();
        int characters = 0;
        for (String each : names) {
            if (some.size() < MOST && characters + each.length() <= MOST_CHARACTERS) {
                characters += each.length();
                some.add(each);
            }
        }
        return some;
    }
}
