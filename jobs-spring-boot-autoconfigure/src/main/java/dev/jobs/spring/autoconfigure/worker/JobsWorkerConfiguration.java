package dev.jobs.spring.autoconfigure.worker;

import dev.jobs.Internal;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.JobEngine;
import dev.jobs.batches.BatchAccess;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.EngineFeature;
import dev.jobs.limiters.CurrentDelivery;
import dev.jobs.limits.LimitConfig;
import dev.jobs.recurring.ConfiguredSchedules;
import dev.jobs.redis.RedisConnections;
import dev.jobs.spring.autoconfigure.installations.EngineParts;
import dev.jobs.spring.autoconfigure.installations.OwnEngines;
import dev.jobs.spring.autoconfigure.installations.OwnInstallations;
import dev.jobs.spring.autoconfigure.names.UnservedQueuesCheck;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import dev.jobs.store.DeadSetBounds;
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
@Internal
public final class JobsWorkerConfiguration {

    @Bean
    @ConditionalOnMissingBean
    EngineConfig jobsEngineConfig(
            JobsProperties properties,
            DeadSetBounds dead,
            Environment environment,
            ObjectProvider<ConfiguredSchedules> schedules,
            ObjectProvider<EngineFeature> features) {
        List<CapsuleConfig> capsules = new ArrayList<>();
        capsules.add(CapsuleConfig.of("default", properties.concurrency(), properties.queues()));
        properties
                .capsules()
                .forEach((name, capsule) -> capsules.add(CapsuleConfig.of(
                        name,
                        Objects.requireNonNullElse(capsule.concurrency(), properties.concurrency()),
                        capsule.queues())));
        String tag = properties.worker().tag();
        String name = environment.getProperty("spring.application.name", "");
        return EngineConfig.of(capsules).with(values -> {
            values.shutdownTimeout = properties.shutdownTimeout();
            values.lease = properties.lease();
            values.pollInterval = properties.pollInterval();
            values.maxAttempts = properties.retry().maxAttempts();
            values.dead = dead;
            values.maxRecoveries = properties.poison().maxRecoveries();
            values.tag = Objects.requireNonNullElse(tag, name);
            values.maxIterationRuntime = properties.iteration().maxRuntime();
            values.times = properties.sidekiq().times();
            values.deployLabel = properties.deployLabel();
            values.recurring =
                    properties.recurring().config(name, schedules.getIfAvailable(() -> ConfiguredSchedules.NONE));
            values.batches = properties.batches().kept();
            values.unknownJobWait = properties.unknownJobs().waitFor();
            values.timeouts = properties.timeout().config();
            values.limiters = properties.limiters().config();
            values.limits = limits(properties);
            values.features = features.orderedStream().toList();
        });
    }

    private static LimitConfig limits(JobsProperties properties) {
        return new LimitConfig(
                properties.limits().entrySet().stream()
                        .collect(Collectors.toMap(
                                Map.Entry::getKey, limit -> limit.getValue().numbers())),
                properties.queueLimits().entrySet().stream()
                        .collect(Collectors.toMap(
                                Map.Entry::getKey, limit -> limit.getValue().concurrency())));
    }

    @Bean
    @ConditionalOnMissingBean
    JobEngine jobsEngine(
            EngineConfig config,
            RedisConnections redis,
            JobRegistry registry,
            JobHooks hooks,
            ObjectProvider<BatchAccess> batches,
            EngineEnvironment environment,
            CurrentDelivery current,
            OwnInstallations installations) {
        JobHooks own = hooks.withTool(BatchAccess.class, batches.getIfAvailable(() -> BatchAccess.NONE));
        return installations.engine(new EngineParts(config, redis, registry, own, environment, current));
    }

    /** @param first the bean, which the application may have replaced */
    @Bean
    OwnEngines jobsOwnEngines(
            JobEngine first,
            EngineConfig config,
            RedisConnections redis,
            JobRegistry registry,
            JobHooks hooks,
            EngineEnvironment environment,
            CurrentDelivery current,
            OwnInstallations installations) {
        return installations.engines(first, new EngineParts(config, redis, registry, hooks, environment, current));
    }

    @Bean
    JobEngineLifecycle jobsEngineLifecycle(OwnEngines engines, ApplicationContext context) {
        return new JobEngineLifecycle(engines, context);
    }

    @Bean
    ShutdownPhaseTimeout jobsEngineShutdownPhaseTimeout(
            EngineConfig config,
            ObjectProvider<DefaultLifecycleProcessor> processor,
            ObjectProvider<LifecycleProperties> properties) {
        return new ShutdownPhaseTimeout(config.shutdownTimeout(), processor, properties);
    }

    @Bean
    UnservedQueuesCheck jobsUnservedQueues(
            JobRegistry registry, EngineConfig config, JobsProperties properties, Environment environment) {
        boolean chosen = !properties.capsules().isEmpty()
                || Binder.get(environment)
                        .bind("jobs.queues", Bindable.listOf(String.class))
                        .isBound();
        return new UnservedQueuesCheck(registry, config, chosen);
    }
}
