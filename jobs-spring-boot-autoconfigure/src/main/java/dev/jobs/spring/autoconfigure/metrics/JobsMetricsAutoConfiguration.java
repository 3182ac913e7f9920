package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.JobRegistry;
import dev.jobs.admin.JobsAdmin;
import dev.jobs.engine.EngineConfig;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.JobEngine;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.metrics.JobGauges.Reading;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Auto-configuration of meters, if there is a meter registry. */
@AutoConfiguration(
        after = JobsAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBooleanProperty(name = "jobs.enabled", matchIfMissing = true)
@ConditionalOnBean({MeterRegistry.class, JobsAdmin.class})
public final class JobsMetricsAutoConfiguration {

    @Bean
    JobMeters jobMeters(MeterRegistry meters, JobRegistry jobs) {
        return new JobMeters(meters, jobs);
    }

    @Bean
    JobGauges jobGauges(JobsAdmin admin, EngineEnvironment environment) {
        return new JobGauges(admin, environment.nanoTime());
    }

    @Bean
    GaugeRefresh jobGaugeRefresh(JobGauges gauges, ObjectProvider<WorkerGauges> worker) {
        return new GaugeRefresh(() -> {
            Reading reading = gauges.refresh();
            if (reading != null) {
                worker.ifAvailable(each -> each.look(reading.queues().values()));
            }
        });
    }

    /** Meters of the worker, if there is one. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(JobEngine.class)
    static class Worker {

        @Bean
        Consumption jobConsumption(EngineConfig config, EngineEnvironment environment) {
            return new Consumption(config, environment.nanoTime());
        }

        @Bean
        DrainTime jobDrainTime(EngineConfig config, EngineEnvironment environment) {
            return new DrainTime(config, environment.nanoTime());
        }

        @Bean
        WorkerGauges jobWorkerGauges(JobEngine engine, Consumption consumption, DrainTime drainTime) {
            return new WorkerGauges(engine, consumption, drainTime);
        }
    }
}
