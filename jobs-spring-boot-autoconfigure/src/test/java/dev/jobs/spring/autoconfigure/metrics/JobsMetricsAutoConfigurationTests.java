package dev.jobs.spring.autoconfigure.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobHooks;
import dev.jobs.spring.autoconfigure.JobsContext;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class JobsMetricsAutoConfigurationTests {

    private final ApplicationContextRunner runner = JobsContext.withoutRedis()
            .withConfiguration(AutoConfigurations.of(
                    MetricsAutoConfiguration.class,
                    CompositeMeterRegistryAutoConfiguration.class,
                    JobsMetricsAutoConfiguration.class));

    @Test
    void metersAreThereFromTheStartAlsoWithoutRedis() {
        runner.withBean(SimpleMeterRegistry.class).run(context -> {
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            assertThat(meters.getMeters())
                    .extracting(meter -> meter.getId().getName())
                    .contains(
                            "jobs.busy",
                            "jobs.concurrency",
                            "jobs.consume.stall",
                            "jobs.scheduled.size",
                            "jobs.retry.size",
                            "jobs.dead.size",
                            "jobs.conservation.error",
                            "jobs.batch.open",
                            "jobs.batch.error",
                            "jobs.batch.lost",
                            "jobs.claim",
                            "jobs.lateness",
                            "jobs.recovered");
            assertThat(meters.get("jobs.concurrency").gauge().value()).isEqualTo(10);
            assertThat(meters.get("jobs.dead.size").gauge().value()).isNaN();
            assertThat(context.getBean(JobHooks.class).listeners())
                    .hasAtLeastOneElementOfType(JobMeters.class)
                    .hasAtLeastOneElementOfType(Consumption.class);
        });
    }

    @Test
    void withoutAWorkerThereAreNoMetersOfOne() {
        runner.withBean(SimpleMeterRegistry.class)
                .withPropertyValues("jobs.worker.enabled=false")
                .run(context -> assertThat(context.getBean(MeterRegistry.class).getMeters())
                        .extracting(meter -> meter.getId().getName())
                        .contains("jobs.dead.size")
                        .doesNotContain("jobs.busy", "jobs.consume.stall"));
    }

    @Test
    void everyRegistryGetsThem() {
        SimpleMeterRegistry one = new SimpleMeterRegistry();
        SimpleMeterRegistry two = new SimpleMeterRegistry();
        runner.withBean("one", MeterRegistry.class, () -> one)
                .withBean("two", MeterRegistry.class, () -> two)
                .run(context -> {
                    for (MeterRegistry each : new MeterRegistry[] {one, two}) {
                        assertThat(each.find("jobs.busy").gauge()).isNotNull();
                        assertThat(each.find("jobs.claim").timer()).isNotNull();
                    }
                });
    }

    @Test
    void withoutARegistryThereAreNone() {
        JobsContext.withoutRedis()
                .withConfiguration(AutoConfigurations.of(JobsMetricsAutoConfiguration.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(JobMeters.class));
    }

    @Test
    void withoutMicrometerThereAreNone() {
        JobsContext.withoutRedis()
                .withConfiguration(AutoConfigurations.of(JobsMetricsAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader("io.micrometer"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(JobsMetricsAutoConfiguration.class));
    }

    @Test
    void withoutJobsThereAreNone() {
        runner.withBean(SimpleMeterRegistry.class)
                .withPropertyValues("jobs.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(JobMeters.class));
    }
}
