package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.assembly.JobEngine;
import dev.jobs.spring.autoconfigure.installations.OwnEngines;
import dev.jobs.spring.autoconfigure.installations.OwnInstallations;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.jspecify.annotations.Nullable;

/**
 * The activity of this process's worker, as gauges.
 *
 * @param own tells the engines' own gauges apart
 * @param threads how many jobs may run at once, over all engines
 */
record WorkerGauges(OwnEngines engines, OwnInstallations own, int threads) implements MeterBinder {

    @Override
    public void bindTo(MeterRegistry registry) {
        engines.byInstallation().forEach((name, engine) -> bind(registry, engine, InstallationGauges.tags(own, name)));
        Gauge.builder("jobs.concurrency", () -> threads)
                .description("Jobs that this process may run at once")
                .register(registry);
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
}
