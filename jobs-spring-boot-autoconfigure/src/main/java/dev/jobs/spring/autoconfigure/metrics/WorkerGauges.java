package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.admin.QueueInfo;
import dev.jobs.assembly.EngineHealth;
import dev.jobs.assembly.JobEngine;
import dev.jobs.spring.autoconfigure.gauges.Scrapes;
import dev.jobs.spring.autoconfigure.installations.OwnEngines;
import dev.jobs.spring.autoconfigure.installations.OwnInstallations;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The activity of this process's worker, as gauges.
 *
 * @param own tells the engines' own gauges apart
 * @param threads how many jobs may run at once, over all engines
 * @param scrapes notices scrapes of those that need readings of queues
 */
record WorkerGauges(
        OwnEngines engines,
        OwnInstallations own,
        int threads,
        Consumption consumption,
        DrainTime drainTime,
        Scrapes scrapes)
        implements MeterBinder {

    @Override
    public void bindTo(MeterRegistry registry) {
        engines.byInstallation().forEach((name, engine) -> bind(registry, engine, InstallationGauges.tags(own, name)));
        Gauge.builder("jobs.concurrency", () -> threads)
                .description("Jobs that this process may run at once")
                .register(registry);
        TimeGauge.builder("jobs.consume.stall", this, TimeUnit.NANOSECONDS, WorkerGauges::stall)
                .description("How long this process has taken no job although it could and one of its queues has some")
                .register(registry);
        TimeGauge.builder("jobs.drain.time", this, TimeUnit.SECONDS, WorkerGauges::drainSeconds)
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

    private static void bind(MeterRegistry registry, JobEngine engine, Tags tags) {
        Gauge.builder("jobs.busy", engine, each -> each.health().busy())
                .description("Jobs that this process runs now")
                .tags(tags)
                .register(registry);
        Gauge.builder("jobs.threads.abandoned", engine, each -> each.health().abandoned())
                .description("Threads of this process that still run a job that was given up after its timeout")
                .tags(tags)
                .register(registry);
        Gauge.builder(
                        "jobs.redis.eviction",
                        engine,
                        each -> eviction(each.health().evictionPolicy()))
                .description("1 if Redis may drop jobs when its memory is full, 0 if not")
                .tags(tags)
                .register(registry);
    }

    private static double eviction(@Nullable String policy) {
        return policy == null ? Double.NaN : policy.equals("noeviction") ? 0 : 1;
    }

    /** Compares what the worker does with the queues that were just read. */
    void look(Collection<QueueInfo> queues) {
        consumption.look(queues, isWorking(), isAlive());
        drainTime.look(queues);
    }

    /** Whether a heartbeat of it reaches Redis, without which it may not start jobs. */
    private boolean isAlive() {
        return engines.byInstallation().values().stream()
                .anyMatch(engine -> engine.health().alive());
    }

    /** Whether the worker should take jobs. */
    private boolean isWorking() {
        return engines.byInstallation().values().stream()
                .anyMatch(engine -> engine.health().state() == EngineHealth.State.RUNNING);
    }
}
