package dev.jobs.spring.autoconfigure.limiters;

import dev.jobs.Internal;
import dev.jobs.JobListener;
import dev.jobs.spring.autoconfigure.gauges.TagValues;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/** Times the callers of limiters that waited. */
@Internal
public final class LimiterMeters implements JobListener {

    private static final int MOST_VALUES = 200;

    private final MeterRegistry meters;
    private final TagValues limiters = new TagValues(MOST_VALUES);

    public LimiterMeters(MeterRegistry meters) {
        this.meters = meters;
    }

    @Override
    public void limited(String limiter, Duration waited, boolean refusedThere) {
        int key = limiter.indexOf(':');
        String name = limiters.bounded(key < 0 ? limiter : limiter.substring(0, key));
        if (refusedThere) {
            Counter.builder("jobs.limiter.over")
                    .description("Callers of limiters for which there was no room in time")
                    .tag("limiter", name)
                    .register(meters)
                    .increment();
        }
        Timer.builder("jobs.limiter.wait")
                .description("Time that callers of limiters waited if there was no room at once")
                .tag("limiter", name)
                .register(meters)
                .record(waited);
    }
}
