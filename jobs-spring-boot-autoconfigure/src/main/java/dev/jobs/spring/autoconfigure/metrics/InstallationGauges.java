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
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The gauges of all installations that have this application's jobs. If there are several, tags say which one it is.
 *
 * @param all by their names, home first
 * @param scrapes notices scrapes of them
 */
record InstallationGauges(Map<String, JobGauges> all, Scrapes scrapes) implements MeterBinder {

    InstallationGauges {
        all = Collections.unmodifiableMap(new LinkedHashMap<>(all));
    }

    static InstallationGauges of(OwnInstallations own, LongSupplier nanoTime) {
        Scrapes scrapes = new Scrapes(nanoTime);
        Map<String, JobGauges> all = new LinkedHashMap<>();
        own.admins()
                .forEach((name, admin) ->
                        all.put(name, new JobGauges(admin.gauges(), tags(own, name), scrapes, nanoTime)));
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
        all.values().forEach(each -> each.bindTo(registry));
    }

    /**
     * Makes what reads them, each on its own thread, so that one that is away holds up no other.
     *
     * @param worker what is done with the queues of all after each new reading of the first
     */
    GaugeRefreshes refreshes(QueuesLook worker) {
        List<GaugeRefresh> refreshes = new ArrayList<>();
        JobGauges first = all.values().iterator().next();
        refreshes.add(new GaugeRefresh(first.thread(), () -> refreshFirst(first, worker), scrapes::areRecent));
        all.values().stream()
                .skip(1)
                .forEach(each -> refreshes.add(new GaugeRefresh(each.thread(), each::refresh, scrapes::areRecent)));
        scrapes.onFirst(() -> refreshes.forEach(GaugeRefresh::wake));
        return new GaugeRefreshes(refreshes);
    }

    private void refreshFirst(JobGauges first, QueuesLook worker) {
        boolean isNew = first.refresh();
        if (!isNew && all.size() == 1) {
            return;
        }
        Map<String, Collection<QueueInfo>> queues = new LinkedHashMap<>();
        all.forEach((name, each) -> {
            Reading reading = each.reading();
            if (reading != null) {
                queues.put(name, reading.queues().values());
            }
        });
        if (!queues.isEmpty()) {
            worker.look(queues);
        }
    }

    /** Takes the queues of all installations that can be read, by their names. */
    @FunctionalInterface
    interface QueuesLook {

        void look(Map<String, Collection<QueueInfo>> queues);
    }
}
