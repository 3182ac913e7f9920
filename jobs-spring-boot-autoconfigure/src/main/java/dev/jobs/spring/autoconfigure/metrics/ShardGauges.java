package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.admin.QueueInfo;
import dev.jobs.spring.autoconfigure.gauges.GaugeRefresh;
import dev.jobs.spring.autoconfigure.gauges.GaugeRefreshes;
import dev.jobs.spring.autoconfigure.gauges.Looks;
import dev.jobs.spring.autoconfigure.installations.OwnInstallations.Installation;
import dev.jobs.spring.autoconfigure.metrics.JobGauges.Reading;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * The gauges of all shards. If there are several, each has the tag {@code shard}.
 *
 * @param all home first
 * @param looks notices looks at them
 */
record ShardGauges(List<JobGauges> all, Looks looks) implements MeterBinder {

    ShardGauges {
        all = List.copyOf(all);
    }

    static ShardGauges of(List<? extends Installation> shards, LongSupplier nanoTime) {
        boolean several = shards.size() > 1;
        Looks looks = new Looks(nanoTime);
        List<JobGauges> all = shards.stream()
                .map(shard -> new JobGauges(
                        shard.admin().gauges(),
                        several ? Tags.of("shard", shard.name()) : Tags.empty(),
                        looks,
                        nanoTime))
                .toList();
        return new ShardGauges(all, looks);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        all.forEach(each -> each.bindTo(registry));
    }

    /**
     * Makes what reads the shards, each on its own thread, so that one that is away holds up no other.
     *
     * @param worker what is done with the queues of all shards after each new reading of the first
     */
    GaugeRefreshes refreshes(QueuesLook worker) {
        List<GaugeRefresh> refreshes = new ArrayList<>();
        refreshes.add(new GaugeRefresh(all.get(0).thread(), () -> refreshFirst(worker), looks::areRecent));
        all.stream()
                .skip(1)
                .forEach(each -> refreshes.add(new GaugeRefresh(each.thread(), each::refresh, looks::areRecent)));
        looks.onFirst(() -> refreshes.forEach(GaugeRefresh::wake));
        return new GaugeRefreshes(refreshes);
    }

    private void refreshFirst(QueuesLook worker) {
        boolean isNew = all.get(0).refresh();
        if (!isNew && all.size() == 1) {
            return;
        }
        List<Reading> readings =
                all.stream().map(JobGauges::reading).filter(Objects::nonNull).toList();
        if (!readings.isEmpty()) {
            worker.look(readings.stream()
                    .flatMap(reading -> reading.queues().values().stream())
                    .toList());
        }
    }

    /** Takes the queues of all shards that can be read. */
    @FunctionalInterface
    interface QueuesLook {

        void look(List<QueueInfo> queues);
    }
}
