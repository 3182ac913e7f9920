package dev.jobs.spring.autoconfigure.limits;

import dev.jobs.Internal;
import dev.jobs.gauges.GaugeReading.AtLimit;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The gauges of limits in one registry. */
@Internal
public final class LimitGauges {

    private final MultiGauge held;
    private final MultiGauge waiting;
    private final MultiGauge wait;

    public LimitGauges(MeterRegistry registry, Tags tags) {
        held = MultiGauge.builder("jobs.limit.held")
                .tags(tags)
                .description("Jobs that have a permit of a limit")
                .register(registry);
        waiting = MultiGauge.builder("jobs.limit.waiting")
                .tags(tags)
                .description("Jobs that are parked, since a limit is full")
                .register(registry);
        wait = MultiGauge.builder("jobs.limit.wait")
                .tags(tags)
                .description("How long ago the first parked job of a limit was enqueued")
                .baseUnit("seconds")
                .register(registry);
    }

    /** @param value finds out a value of the newest reading */
    public void show(Map<String, AtLimit> limits, Function<Function<Map<String, AtLimit>, Double>, Double> value) {
        show(held, limits, value, AtLimit::held);
        show(waiting, limits, value, AtLimit::waiting);
        show(wait, limits, value, limit -> limit.longestWait().toNanos() / 1e9);
    }

    private static void show(
            MultiGauge gauge,
            Map<String, AtLimit> limits,
            Function<Function<Map<String, AtLimit>, Double>, Double> value,
            ToDoubleFunction<AtLimit> of) {
        List<Row<?>> rows = limits.keySet().stream()
                .<Row<?>>map(name -> Row.of(
                        Tags.of("limit", name),
                        value,
                        newest -> newest.apply(all -> {
                            AtLimit limit = all.get(name);
                            return limit == null ? Double.NaN : of.applyAsDouble(limit);
                        })))
                .toList();
        gauge.register(rows);
    }
}
