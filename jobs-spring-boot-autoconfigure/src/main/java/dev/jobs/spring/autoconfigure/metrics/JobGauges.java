package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.JobStoreException;
import dev.jobs.admin.Books;
import dev.jobs.admin.QueueInfo;
import dev.jobs.admin.Stats;
import dev.jobs.gauges.GaugeReading;
import dev.jobs.gauges.GaugeReading.AtLimit;
import dev.jobs.gauges.GaugeReadings;
import dev.jobs.spring.autoconfigure.gauges.Scrapes;
import dev.jobs.spring.autoconfigure.limits.LimitGauges;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state in Redis, as gauges. They show the last reading, so that a scrape sends nothing to Redis and never waits
 * for it; a reading older than {@link #VALID} is shown as NaN. Every process on one Redis shows the same numbers, which
 * one of them reads.
 */
final class JobGauges implements MeterBinder {

    /** How long a reading is shown. */
    static final Duration VALID = Duration.ofSeconds(30);

    private static final Logger log = LoggerFactory.getLogger(JobGauges.class);

    private final GaugeReadings readings;
    private final Tags tags;
    private final Scrapes scrapes;
    private final LongSupplier nanoTime;
    private final List<Queues> bound = new CopyOnWriteArrayList<>();

    private volatile @Nullable Reading last;

    /**
     * The values of one reading.
     *
     * @param nanos when it was made
     */
    record Reading(GaugeReading numbers, Map<String, QueueInfo> queues, Map<String, AtLimit> limits, long nanos) {}

    private record Queues(MultiGauge size, MultiGauge latency, LimitGauges limits) {}

    /** @param tags of all its gauges */
    JobGauges(GaugeReadings readings, Tags tags, Scrapes scrapes, LongSupplier nanoTime) {
        this.readings = readings;
        this.tags = tags;
        this.scrapes = scrapes;
        this.nanoTime = nanoTime;
    }

    /** Asks for the last reading. Returns whether it is another one than before: false also if Redis can't be read now. */
    boolean refresh() {
        GaugeReading numbers;
        try {
            numbers = readings.read();
        } catch (JobStoreException e) {
            log.debug("The gauges of queues and sets were not read", e);
            return false;
        }
        Reading before = last;
        if (numbers == null || before != null && before.numbers().at().equals(numbers.at())) {
            return false;
        }
        Reading reading = new Reading(
                numbers,
                numbers.queues().stream().collect(Collectors.toMap(QueueInfo::name, Function.identity())),
                numbers.limits().stream().collect(Collectors.toMap(AtLimit::name, Function.identity())),
                nanoTime.getAsLong() - numbers.age().toNanos());
        last = reading;
        bound.forEach(queues -> show(queues, reading));
        return true;
    }

    /** The last reading, if it is still shown. */
    @Nullable Reading reading() {
        Reading reading = last;
        return reading == null || nanoTime.getAsLong() - reading.nanos() > VALID.toNanos() ? null : reading;
    }

    /** A name for the thread that reads them. */
    String thread() {
        return tags.stream().map(Tag::getValue).reduce("jobs-metrics", (name, value) -> name + "-" + value);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        set(registry, "jobs.scheduled.size", "Jobs that wait until they are due", Stats::scheduled);
        set(registry, "jobs.retry.size", "Failed jobs that wait for a retry", Stats::retries);
        set(registry, "jobs.parked.size", "Jobs that wait at limits, outside their queues", Stats::parked);
        set(registry, "jobs.dead.size", "Jobs that are not tried again", Stats::dead);
        set(
                registry,
                "jobs.processes",
                "Worker processes on this Redis with a heartbeat within the last minute, Ruby's included",
                Stats::processes);
        set(
                registry,
                "jobs.conservation.error",
                "Claimed jobs that are unaccounted for; anything but 0 means that data was lost or changed by hand",
                JobGauges::conservationError);
        Gauge.builder(
                        "jobs.batch.open",
                        this,
                        gauges -> gauges.value(reading -> reading.numbers().openBatches()))
                .description("Batches that are not over")
                .tags(tags)
                .register(registry);
        Gauge.builder(
                        "jobs.batch.error",
                        this,
                        gauges -> gauges.value(reading -> reading.numbers().batchError()))
                .description(
                        "By how much counters of unfinished batches differ from the states of their jobs; anything "
                                + "but 0 means that data was lost or changed by hand")
                .tags(tags)
                .register(registry);
        Queues queues = new Queues(
                MultiGauge.builder("jobs.queue.size")
                        .description("Jobs in a queue")
                        .tags(tags)
                        .register(registry),
                MultiGauge.builder("jobs.queue.latency")
                        .description("How long the next job has waited")
                        .tags(tags)
                        .baseUnit("seconds")
                        .register(registry),
                new LimitGauges(registry, tags));
        bound.add(queues);
        Reading reading = last;
        if (reading != null) {
            show(queues, reading);
        }
    }

    private static double conservationError(Stats stats) {
        Books books = stats.books();
        return books == null ? Double.NaN : books.conservationError();
    }

    private void set(MeterRegistry registry, String name, String description, ToDoubleFunction<Stats> value) {
        Gauge.builder(
                        name,
                        this,
                        gauges -> gauges.value(
                                reading -> value.applyAsDouble(reading.numbers().stats())))
                .description(description)
                .tags(tags)
                .register(registry);
    }

    /** Existing rows stay, and look up their queue in the newest reading. */
    private void show(Queues queues, Reading reading) {
        queues.limits().show(reading.limits(), this::ofLimits);
        queues.size()
                .register(reading.queues().keySet().stream()
                        .<Row<?>>map(name -> row(name, QueueInfo::size))
                        .toList());
        queues.latency()
                .register(reading.queues().keySet().stream()
                        .<Row<?>>map(name -> row(name, queue -> seconds(queue.latency())))
                        .toList());
    }

    private double ofLimits(Function<Map<String, AtLimit>, Double> value) {
        return value(reading -> value.apply(reading.limits()));
    }

    private Row<?> row(String name, ToDoubleFunction<QueueInfo> value) {
        return Row.of(
                Tags.of("queue", name),
                this,
                gauges -> gauges.value(reading -> {
                    QueueInfo queue = reading.queues().get(name);
                    return queue == null ? Double.NaN : value.applyAsDouble(queue);
                }));
    }

    private double value(ToDoubleFunction<Reading> value) {
        scrapes.looked();
        Reading reading = reading();
        return reading == null ? Double.NaN : value.applyAsDouble(reading);
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
