package dev.jobs.spring.autoconfigure;

import dev.jobs.BatchAccess;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.EngineConfig;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.LimitConfig;
import dev.jobs.engine.RecurringConfig;
import dev.jobs.engine.TimeoutConfig;
import dev.jobs.redis.CurrentDelivery;
import dev.jobs.redis.DeadSetLimits;
import dev.jobs.redis.RedisConnections;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.core.env.Environment;

/** The engine that serves this application's queues. A child context does not create a second one. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(
        name = {"jobs.enabled", "jobs.worker.enabled"},
        matchIfMissing = true)
@ConditionalOnMissingBean(JobEngineLifecycle.class)
final class JobsWorkerConfiguration {

    @Bean
    @ConditionalOnMissingBean
    EngineConfig jobEngineConfig(JobsProperties properties, DeadSetLimits dead, Environment environment) {
        List<CapsuleConfig> capsules = new ArrayList<>();
        capsules.add(CapsuleConfig.of("default", properties.concurrency(), properties.queues()));
        properties
                .capsules()
                .forEach((name, capsule) -> capsules.add(CapsuleConfig.of(
                        name,
                        Objects.requireNonNullElse(capsule.concurrency(), properties.concurrency()),
                        capsule.queues())));
        String tag = properties.worker().tag();
        JobsProperties.Recurring recurring = properties.recurring();
        String name = environment.getProperty("spring.application.name", "");
        return EngineConfig.builder()
                .capsules(capsules)
                .shutdownTimeout(properties.shutdownTimeout())
                .lease(properties.lease())
                .pollInterval(properties.pollInterval())
                .maxAttempts(properties.retry().maxAttempts())
                .dead(dead)
                .maxRecoveries(properties.poison().maxRecoveries())
                .tag(Objects.requireNonNullElse(tag, name))
                .maxIterationRuntime(properties.iteration().maxRuntime())
                .times(properties.sidekiq().times())
                .deployLabel(properties.deployLabel())
                .recurring(new RecurringConfig(
                        recurring.enabled(),
                        recurring.namespace(),
                        Objects.requireNonNullElse(recurring.application(), name),
                        recurring.grace()))
                .batches(properties.batches().kept())
                .unknownJobWait(properties.unknownJobs().waitFor())
                .timeouts(new TimeoutConfig(
                        properties.timeout().standard(), properties.timeout().grace()))
                .limiters(properties.limiters().config())
                .limits(new LimitConfig(properties.limits().entrySet().stream()
                        .collect(Collectors.toMap(
                                Map.Entry::getKey, limit -> limit.getValue().concurrency()))))
                .build();
    }

    @Bean
    @ConditionalOnMissingBean
    JobEngine jobEngine(
            EngineConfig config,
            RedisConnections redis,
            JobRegistry registry,
            JobHooks hooks,
            ObjectProvider<BatchAccess> batches,
            EngineEnvironment environment,
            CurrentDelivery current) {
        return new JobEngine(
                config,
                redis,
                registry,
                hooks.withBatches(batches.getIfAvailable(() -> BatchAccess.NONE)),
                environment,
                current);
    }

    @Bean
    JobEngineLifecycle jobEngineLifecycle(JobEngine engine, ApplicationContext context) {
        return new JobEngineLifecycle(engine, context);
    }

    @Bean
    ShutdownPhaseTimeout jobEngineShutdownPhaseTimeout(
            EngineConfig config,
            ObjectProvider<DefaultLifecycleProcessor> processor,
            ObjectProvider<LifecycleProperties> properties) {
        return new ShutdownPhaseTimeout(config.shutdownTimeout(), processor, properties);
    }

    @Bean
    UnservedQueues jobsUnservedQueues(JobRegistry registry, EngineConfig config, Environment environment) {
        Binder binder = Binder.get(environment);
        boolean chosen = binder.bind("jobs.queues", Bindable.listOf(String.class))
                        .isBound()
                || binder.bind("jobs.capsules", Bindable.of(Object.class)).isBound();
        return new UnservedQueues(registry, config, chosen);
    }
}
