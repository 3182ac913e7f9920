package dev.jobs.spring.autoconfigure.unique;

import dev.jobs.Internal;
import dev.jobs.JobListener;
import dev.jobs.spring.autoconfigure.gauges.JobNames;
import dev.jobs.spring.autoconfigure.gauges.TagValues;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts unique jobs that were refused. */
@Internal
public final class DuplicateMeters implements JobListener {

    private static final int MOST_VALUES = 200;

    private final MeterRegistry meters;
    private final JobNames jobs;
    private final TagValues queues = new TagValues(MOST_VALUES);
    private final Map<Refused, Counter> duplicates = new ConcurrentHashMap<>();

    private record Refused(String job, String queue) {}

    public DuplicateMeters(MeterRegistry meters, JobNames jobs) {
        this.meters = meters;
        this.jobs = jobs;
    }

    @Override
    public void duplicates(String name, String queue, int count, String holder) {
        duplicates
                .computeIfAbsent(new Refused(jobs.of(name), queues.bounded(queue)), this::counter)
                .increment(count);
    }

    private Counter counter(Refused key) {
        return Counter.builder("jobs.duplicates")
                .description("Unique jobs of this application that were refused, since others held their locks")
                .tag("job", key.job())
                .tag("queue", key.queue())
                .register(meters);
    }
}
