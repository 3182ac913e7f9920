package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.JobContext;
import dev.jobs.JobListener;
import dev.jobs.spring.autoconfigure.gauges.JobNames;
import dev.jobs.spring.autoconfigure.gauges.TagValues;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts and times the work of client and engine. Tag values are bounded regardless of the names in Redis.
 */
final class JobMeters implements JobListener {

    private static final int MOST_VALUES = 200;

    private final MeterRegistry meters;
    private final JobNames jobs;
    private final Timer claims;
    private final Timer lateness;
    private final Counter requeued;
    private final Counter poisoned;
    private final Counter refused;
    private final Counter notStored;
    private final TagValues queues = new TagValues(MOST_VALUES);
    private final TagValues exceptions = new TagValues(MOST_VALUES);
    private final Map<Enqueued, Counter> enqueued = new ConcurrentHashMap<>();
    private final Map<Execution, Timer> executions = new ConcurrentHashMap<>();

    private record Enqueued(String job, String queue) {}

    private record Execution(String job, String queue, Ending ending, String exception) {}

    JobMeters(MeterRegistry meters, JobNames jobs) {
        this.meters = meters;
        this.jobs = jobs;
        this.claims = Timer.builder("jobs.claim")
                .description("Calls to Redis that settle finished jobs and take new ones")
                .register(meters);
        this.lateness = Timer.builder("jobs.lateness")
                .description("How late scheduled and retried jobs went to their queues")
                .register(meters);
        this.requeued = recovered("requeued");
        this.poisoned = recovered("poisoned");
        this.refused = Counter.builder("jobs.settlement.refused")
                .description(
                        "Jobs that this worker finished after they had been taken away from it, because it froze or was cut off")
                .register(meters);
        this.notStored = Counter.builder("jobs.not.stored")
                .description("Jobs of committed transactions that Redis did not take in time, and that are given up")
                .register(meters);
    }

    private Counter recovered(String outcome) {
        return Counter.builder("jobs.recovered")
                .description("Jobs taken back from dead workers, and put into their queue or the dead set")
                .tag("outcome", outcome)
                .register(meters);
    }

    @Override
    public void enqueued(String name, String queue, int count, boolean scheduled) {
        enqueued.computeIfAbsent(new Enqueued(jobs.of(name), queues.bounded(queue)), this::counter)
                .increment(count);
    }

    @Override
    public void notStored(String name, String queue, int count) {
        notStored.increment(count);
    }

    private Counter counter(Enqueued key) {
        return Counter.builder("jobs.enqueued")
                .description("Jobs that this application enqueued, for now or later")
                .tag("job", key.job())
                .tag("queue", key.queue())
                .register(meters);
    }

    @Override
    public void finished(JobContext job, Ending ending, Duration took, @Nullable Throwable failure) {
        String exception =
                failure == null ? "none" : exceptions.bounded(failure.getClass().getSimpleName());
        executions
                .computeIfAbsent(
                        new Execution(jobs.of(job.name()), queues.bounded(job.queue()), ending, exception), this::timer)
                .record(took);
    }

    private Timer timer(Execution key) {
        return Timer.builder("jobs.execution")
                .description("Executions of jobs")
                .tag("job", key.job())
                .tag("queue", key.queue())
                .tag("outcome", key.ending().name().toLowerCase(Locale.ROOT))
                .tag("exception", key.exception())
                .register(meters);
    }

    @Override
    public void promoted(String name, String queue, Duration late) {
        lateness.record(late);
    }

    @Override
    public void recovered(int requeuedJobs, int poisonedJobs) {
        requeued.increment(requeuedJobs);
        poisoned.increment(poisonedJobs);
    }

    @Override
    public void settlementRefused(int count) {
        refused.increment(count);
    }

    @Override
    public void exchanged(int settled, int claimed, Duration took) {
        claims.record(took);
    }
}
