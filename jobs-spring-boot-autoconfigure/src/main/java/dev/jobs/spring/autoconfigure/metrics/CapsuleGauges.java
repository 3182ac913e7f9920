package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.admin.QueueInfo;
import dev.jobs.spring.autoconfigure.gauges.Scrapes;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What this process's worker does with its queues, as gauges.
 *
 * @param scrapes notices scrapes, since they need readings of queues
 */
record CapsuleGauges(Consumption consumption, DrainTime drainTime, Scrapes scrapes) implements MeterBinder {

    @Override
    public void bindTo(MeterRegistry registry) {
        TimeGauge.builder("jobs.consume.stall", this, TimeUnit.NANOSECONDS, CapsuleGauges::stall)
                .description("How long this process has taken no job although it could and one of its queues has some")
                .register(registry);
        TimeGauge.builder("jobs.drain.time", this, TimeUnit.SECONDS, CapsuleGauges::drainSeconds)
                .description("How long one process like this one would need for the jobs that wait in its queues")
                .register(registry);
    }

    private double stall() {
        scrapes.looked();
        return consumption.stall().toNanos();
    }

    private double drainSeconds() {
        scrapes.looked();
        return drainTime.seconds();
    }

    /** Compares what the worker does with the queues that were just read, by installation. */
    void look(Map<String, ? extends Collection<QueueInfo>> queues) {
        consumption.look(queues);
        drainTime.look(queues.values().stream().flatMap(Collection::stream).toList());
    }
}
