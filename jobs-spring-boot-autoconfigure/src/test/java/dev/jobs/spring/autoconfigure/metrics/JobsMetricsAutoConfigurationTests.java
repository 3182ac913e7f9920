package dev.jobs.spring.autoconfigure.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.JobEngine;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.redis.RedisConnections;
import dev.jobs.spring.autoconfigure.JobsContext;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

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
                    .hasAtLeastOneElementOfType(DrainTime.class);
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

    @Configuration(proxyBeanMethods = false)
    static class OwnEngine {

        @Bean
        JobEngine engine(RedisConnections redis, JobRegistry registry, JobHooks hooks, EngineEnvironment environment) {
            EngineConfig config = EngineConfig.of(List.of(CapsuleConfig.of("own", 3, List.of("mail"))));
            return new JobEngine(config, redis, registry, hooks, environment);
        }
    }

    @Test
    void anEngineThatTheApplicationMakesHasThoseOfItsThreads() {
        runner.withBean(SimpleMeterRegistry.class)
                .withUserConfiguration(OwnEngine.class)
                .withPropertyValues("jobs.worker.enabled=false")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    MeterRegistry meters = context.getBean(MeterRegistry.class);
                    assertThat(meters.get("jobs.busy").gauge().value()).isZero();
                    assertThat(meters.get("jobs.concurrency").gauge().value()).isEqualTo(3);
                    assertThat(meters.getMeters())
                            .extracting(meter -> meter.getId().getName())
                            .contains("jobs.threads.abandoned", "jobs.redis.eviction")
                            .doesNotContain("jobs.consume.stall", "jobs.drain.time");
                });
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
