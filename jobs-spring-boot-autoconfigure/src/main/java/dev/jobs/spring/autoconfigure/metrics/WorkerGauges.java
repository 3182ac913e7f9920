package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.admin.QueueInfo;
import dev.jobs.engine.EngineHealth;
import dev.jobs.engine.JobEngine;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The activity of this process's worker, as gauges. */
record WorkerGauges(JobEngine engine, Consumption consumption, DrainTime drainTime) implements MeterBinder {

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("jobs.busy", engine, each -> each.health().busy())
                .description("Jobs that this process runs now")
                .register(registry);
        Gauge.builder("jobs.concurrency", engine, each -> each.health().concurrency())
                .description("Jobs that this process may run at once")
                .register(registry);
        Gauge.builder("jobs.threads.abandoned", engine, each -> each.health().abandoned())
                .description("Threads of this process that still run a job that was given up after its timeout")
                .register(registry);
        TimeGauge.builder("jobs.consume.stall", consumption, TimeUnit.NANOSECONDS, each -> each.stall()
                        .toNanos())
                .description("How long this process has taken no job although it could and one of its queues has some")
                .register(registry);
        TimeGauge.builder("jobs.drain.time", drainTime, TimeUnit.SECONDS, DrainTime::seconds)
                .description("How long one process like this one would need for the jobs that wait in its queues")
                .register(registry);
        Gauge.builder(
                        "jobs.redis.eviction",
                        engine,
                        each -> eviction(each.health().evictionPolicy()))
                .description("1 if Redis may drop jobs when its memory is full, 0 if not")
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

    /** Whether its heartbeat reaches Redis, without which it may not start jobs. */
    private boolean isAlive() {
        return engine.health().alive();
    }

    /** Whether the worker should take jobs. */
    private boolean isWorking() {
        return engine.health().state() == EngineHealth.State.RUNNING;
    }
}
