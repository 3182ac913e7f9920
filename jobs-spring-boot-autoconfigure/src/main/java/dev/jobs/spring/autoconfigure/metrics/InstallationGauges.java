package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.admin.QueueInfo;
import dev.jobs.spring.autoconfigure.gauges.GaugeRefresh;
import dev.jobs.spring.autoconfigure.gauges.GaugeRefreshes;
import dev.jobs.spring.autoconfigure.gauges.Scrapes;
import dev.jobs.spring.autoconfigure.installations.OwnInstallations;
import dev.jobs.spring.autoconfigure.metrics.JobGauges.Reading;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * The gauges of all installations that have this application's jobs. If there are several, tags say which one it is.
 *
 * @param all home first
 * @param scrapes notices scrapes of them
 */
record InstallationGauges(List<JobGauges> all, Scrapes scrapes) implements MeterBinder {

    InstallationGauges {
        all = List.copyOf(all);
    }

    static InstallationGauges of(OwnInstallations own, LongSupplier nanoTime) {
        Scrapes scrapes = new Scrapes(nanoTime);
        List<JobGauges> all = new ArrayList<>();
        own.admins()
                .forEach((name, admin) -> all.add(new JobGauges(admin.gauges(), tags(own, name), scrapes, nanoTime)));
        return new InstallationGauges(all, scrapes);
    }

    /** The tags that distinguish the gauges of one of them. */
    static Tags tags(OwnInstallations own, String name) {
        return Tags.of(own.tags(name).entrySet().stream()
                .map(each -> Tag.of(each.getKey(), each.getValue()))
                .toList());
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        all.forEach(each -> each.bindTo(registry));
    }

    /**
     * Makes what reads them, each on its own thread, so that one that is away holds up no other.
     *
     * @param worker what is done with the queues of all after each new reading of the first
     */
    GaugeRefreshes refreshes(QueuesLook worker) {
        List<GaugeRefresh> refreshes = new ArrayList<>();
        refreshes.add(new GaugeRefresh(all.get(0).thread(), () -> refreshFirst(worker), scrapes::areRecent));
        all.stream()
                .skip(1)
                .forEach(each -> refreshes.add(new GaugeRefresh(each.thread(), each::refresh, scrapes::areRecent)));
        scrapes.onFirst(() -> refreshes.forEach(GaugeRefresh::wake));
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

    /** Takes the queues of all installations that can be read. */
    @FunctionalInterface
    interface QueuesLook {

        void look(List<QueueInfo> queues);
    }
}
