package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.engine.EngineHealth;
import dev.jobs.engine.JobEngine;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.concurrent.TimeUnit;

/** The activity of this process's worker, as gauges. */
record WorkerGauges(JobEngine engine, Consumption consumption) implements MeterBinder {

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("jobs.busy", engine, each -> each.health().busy())
                .description("Jobs that this process runs now")
                .register(registry);
        Gauge.builder("jobs.concurrency", engine, each -> each.health().concurrency())
                .description("Jobs that this process may run at once")
                .register(registry);
        TimeGauge.builder("jobs.consume.stall", consumption, TimeUnit.NANOSECONDS, each -> each.stall()
                        .toNanos())
                .description("How long this process has taken no job although it could and one of its queues has some")
                .register(registry);
    }

    /** Whether its heartbeat reaches Redis, without which it may not start jobs. */
    boolean isAlive() {
        return engine.health().alive();
    }

    /** Whether the worker should take jobs. */
    boolean isWorking() {
        return engine.health().state() == EngineHealth.State.RUNNING;
    }
}
