package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.JobRegistry;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.batches.BatchMeters;
import dev.jobs.spring.autoconfigure.gauges.GaugeRefreshes;
import dev.jobs.spring.autoconfigure.gauges.JobNames;
import dev.jobs.spring.autoconfigure.installations.OwnEngines;
import dev.jobs.spring.autoconfigure.installations.OwnInstallations;
import dev.jobs.spring.autoconfigure.limiters.LimiterMeters;
import dev.jobs.spring.autoconfigure.unique.DuplicateMeters;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import java.util.LinkedHashMap;
import java.util.Map;
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
    JobMeters jobsMeters(MeterRegistry meters, JobRegistry jobs) {
        return new JobMeters(meters, new JobNames(jobs));
    }

    /**
     * {@code jobs.execution} times an execution, with its exception, whether there are observations or not. The timer of
     * the observation would be a second one of the same; what shows jobs that run, {@code jobs.perform.active}, stays.
     */
    @Bean
    static MeterFilter jobsExecutionsTimedOnce() {
        return MeterFilter.deny(meter -> meter.getName().equals("jobs.perform"));
    }

    @Bean
    DuplicateMeters jobsDuplicateMeters(MeterRegistry meters, JobRegistry jobs) {
        return new DuplicateMeters(meters, new JobNames(jobs));
    }

    @Bean
    LimiterMeters jobsLimiterMeters(MeterRegistry meters) {
        return new LimiterMeters(meters);
    }

    @Bean
    BatchMeters jobsBatchMeters(MeterRegistry meters) {
        return new BatchMeters(meters);
    }

    @Bean
    InstallationGauges jobsGauges(OwnInstallations own, EngineEnvironment environment) {
        return InstallationGauges.of(own, environment.nanoTime());
    }

    @Bean
    GaugeRefreshes jobsGaugeRefresh(InstallationGauges gauges, ObjectProvider<CapsuleGauges> worker) {
        return gauges.refreshes(queues -> worker.ifAvailable(each -> each.look(queues)));
    }

    /** Meters of the worker, if there is one. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(OwnEngines.class)
    static class Worker {

        @Bean
        WorkerGauges jobsWorkerGauges(
                OwnEngines engines, OwnInstallations own, ObjectProvider<EngineConfig> ofProperties) {
            EngineConfig config = ofProperties.getIfAvailable();
            int threads = config == null ? engines.first().health().concurrency() : config.concurrency();
            return new WorkerGauges(engines, own, threads);
        }
    }

    /**
     * Meters of the worker's capsules. An engine that the application makes itself has none: the drain time is a
     * listener, which needs its configuration.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean({OwnEngines.class, EngineConfig.class})
    static class Capsules {

        @Bean
        DrainTime jobsDrainTime(EngineConfig config, EngineEnvironment environment) {
            return new DrainTime(config, environment.nanoTime());
        }

        @Bean
        CapsuleGauges jobsCapsuleGauges(
                OwnEngines engines, EngineEnvironment environment, DrainTime drainTime, InstallationGauges gauges) {
            Map<String, Consumption.Worker> workers = new LinkedHashMap<>();
            engines.byInstallation().forEach((name, engine) -> workers.put(name, Consumption.Worker.of(engine)));
            return new CapsuleGauges(new Consumption(workers, environment.nanoTime()), drainTime, gauges.scrapes());
        }
    }
}
