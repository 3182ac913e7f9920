package dev.jobs.outbox;

import dev.jobs.outbox.OutboxTable.Backlog;
import dev.jobs.spring.autoconfigure.gauges.GaugeRefresh;
import dev.jobs.spring.autoconfigure.gauges.GaugeRefreshes;
import dev.jobs.spring.autoconfigure.gauges.Scrapes;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Meters of what waits in the outbox. They show the last reading, so that a scrape never waits for the database; a
 * reading older than {@link #VALID} is shown as NaN.
 */
final class OutboxGauges {

    /** How long a reading is shown. */
    static final Duration VALID = Duration.ofSeconds(30);

    private final OutboxDatabases databases;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private final Scrapes scrapes;

    private volatile @Nullable Reading last;

    /** @param nanos when it was made */
    private record Reading(Backlog backlog, long nanos) {}

    OutboxGauges(OutboxDatabases databases, MeterRegistry meters, Clock clock, LongSupplier nanoTime) {
        this.databases = databases;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.scrapes = new Scrapes(nanoTime);
        Gauge.builder("jobs.outbox.size", this, gauges -> gauges.value(Backlog::jobs))
                .description("Jobs in the outbox that are not known to be in Redis")
                .register(meters);
        Gauge.builder("jobs.outbox.age", this, gauges -> gauges.value(this::ageInSeconds))
                .description("Time since the oldest job in the outbox was enqueued")
                .baseUnit("seconds")
                .register(meters);
    }

    /** Makes what reads them, on a thread of its own. */
    GaugeRefreshes refreshes() {
        GaugeRefresh refresh = new GaugeRefresh("jobs-outbox-metrics", this::refresh, scrapes::areRecent);
        scrapes.onFirst(refresh::wake);
        return new GaugeRefreshes(List.of(refresh));
    }

    void refresh() {
        long now = nanoTime.getAsLong();
        last = new Reading(databases.backlog(), now);
    }

    private double value(ToDoubleFunction<Backlog> value) {
        scrapes.looked();
        Reading reading = last;
        return reading == null || nanoTime.getAsLong() - reading.nanos() > VALID.toNanos()
                ? Double.NaN
                : value.applyAsDouble(reading.backlog());
    }

    private double ageInSeconds(Backlog backlog) {
        Long oldest = backlog.oldest();
        return oldest == null ? 0 : Math.max(0, clock.millis() - oldest) / 1_000.0;
    }
}
