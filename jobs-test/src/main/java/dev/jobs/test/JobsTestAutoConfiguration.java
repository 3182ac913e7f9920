package dev.jobs.test;

import dev.jobs.JobDefinitionException;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.JobStoreException;
import dev.jobs.assembly.InlineRunner;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.assembly.RedisJobStore;
import dev.jobs.client.ClientConfig;
import dev.jobs.encryption.EncryptionKeys;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.limiters.CurrentDelivery;
import dev.jobs.recurring.ConfiguredSchedules;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.spring.autoconfigure.JobsAutoConfiguration;
import dev.jobs.spring.autoconfigure.beans.LateValue;
import dev.jobs.spring.autoconfigure.checks.ConfiguredValue;
import dev.jobs.spring.autoconfigure.installations.OwnEngines;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.transactions.Outbox;
import dev.jobs.transactions.OutboxBacklog;
import dev.jobs.transactions.Transactions;
import io.lettuce.core.RedisClient;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactoryInitializer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;

/**
 * The store, the engine and the clock that a test's {@link JobsMode} asks for. All else is the application's: client,
 * discovery, middleware and worker are those of {@link JobsAutoConfiguration}.
 */
@AutoConfiguration(before = JobsAutoConfiguration.class, afterName = "dev.jobs.outbox.JobsOutboxAutoConfiguration")
@ConditionalOnProperty(JobsTestAutoConfiguration.MODE)
@Import({
    JobsTestAutoConfiguration.WithoutDatabase.class,
    JobsTestAutoConfiguration.WithoutRedis.class,
    JobsTestAutoConfiguration.OnOwnRedis.class,
    JobsTestAutoConfiguration.WithWorker.class
})
public final class JobsTestAutoConfiguration {

    static final String MODE = "jobs.test.mode";
    static final String REDIS = "jobs.test.redis";
    static final String OWN = "own";

    @Bean
    TestClock jobsTestClock(Environment environment) {
        return mode(environment) == JobsMode.WORKER ? TestClock.moving() : TestClock.standing();
    }

    /** Without a worker, a test would wait for its jobs until its time is over. */
    @Bean
    @ConditionalOnProperty(name = MODE, havingValue = "WORKER")
    @ConditionalOnBooleanProperty(name = "jobs.enabled", havingValue = false)
    static BeanFactoryInitializer<ConfigurableListableBeanFactory> jobsTestWorkerCheck(Environment environment) {
        return beans -> {
            throw new JobDefinitionException(
                    "This test is in the mode WORKER, and jobs.enabled is false ("
                            + ConfiguredValue.origin("jobs.enabled", environment) + "), so that no worker runs",
                    "Set jobs.enabled=true in the properties of the test, or choose JobsMode.RECORDING or JobsMode.INLINE.");
        };
    }

    private static JobsMode mode(Environment environment) {
        return environment.getRequiredProperty(MODE, JobsMode.class);
    }

    /** Lets client and engine use the test's clock, also if the application defines their environment. */
    @Bean
    static BeanPostProcessor jobsTestClockInstaller(ObjectProvider<TestClock> clock) {
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                return bean instanceof EngineEnvironment environment
                        ? environment.withClock(clock.getObject().asClock())
                        : bean;
            }
        };
    }

    /** A test needs no keys: those that it has are the application's, or made for it. */
    @Bean
    @ConditionalOnMissingBean
    EncryptionKeys jobsTestEncryptionKeys(JobsProperties properties) {
        EncryptionKeys own = properties.encryption().keysOrNull();
        if (own != null) {
            return own;
        }
        byte[] key = new byte[32];
        new SecureRandom().nextBytes(key);
        return EncryptionKeys.of("test", Map.of("test", key), key);
    }

    @Bean
    ExecutionEnds jobsTestExecutions() {
        return new ExecutionEnds();
    }

    @Bean
    UnstoredJobs jobsTestUnstored(JobRegistry registry, ClientConfig config, EngineEnvironment environment) {
        return new UnstoredJobs(registry, config, environment.clock(), environment.random());
    }

    @Bean
    TestJobs jobsTestJobs(
            RecordedJobs recorded,
            ExecutionEnds executions,
            UnstoredJobs unstored,
            TestEngine engine,
            TestClock clock,
            ObjectProvider<RedisJobClient> clients) {
        return new TestJobs(recorded, executions, unstored, engine, clock, () -> clients.stream()
                .flatMap(client -> client.committed().waiting().stream())
                .toList());
    }

    /** Lets the recorded jobs have those that the application's outbox keeps in transactions. */
    @Bean
    static BeanPostProcessor jobsTestOutboxRecorder(Environment environment, ObjectProvider<RecordedJobs> recorded) {
        boolean rows = mode(environment) == JobsMode.WORKER;
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                if (!(bean instanceof Outbox outbox) || bean instanceof OutboxWithoutRows) {
                    return bean;
                }
                return rows ? new RecordedOutbox(outbox, recorded.getObject()) : new OutboxWithoutRows(outbox);
            }
        };
    }

    /** A test of a part of the application may have no database; the whole one would not start without. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = "jobs.transactions", havingValue = "outbox")
    @ConditionalOnBooleanProperty(name = EnableAutoConfiguration.ENABLED_OVERRIDE_PROPERTY, havingValue = false)
    @ConditionalOnMissingBean(Outbox.class)
    static class WithoutDatabase {

        @Bean
        OutboxWithoutRows jobsTestOutbox() {
            return new OutboxWithoutRows(null);
        }
    }

    /** Recording and inline. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = REDIS, havingValue = "none")
    @Import(RedisOnDemand.class)
    static class WithoutRedis {

        /** For the beans that need Redis, which fail at their first use. */
        @Bean
        RedisConnections jobsRedisConnections(Environment environment) {
            Supplier<RedisClient> none = () -> {
                throw new JobStoreException(
                        JobStoreException.Kind.OTHER,
                        "This test has no Redis, since its jobs are in the mode " + mode(environment)
                                + "; batches and JobsAdmin need @JobsTest(mode = JobsMode.WORKER) or @AutoConfigureJobs(mode = JobsMode.WORKER)",
                        null);
            };
            return new RedisConnections(none, new RedisKeys(""), Duration.ofSeconds(1));
        }

        @Bean
        MemoryEngine jobsTestEngine(
                Environment environment,
                TestClock clock,
                ClientConfig config,
                ObjectProvider<JobHooks> hooks,
                ObjectProvider<MemoryRecurringJobs> recurring,
                JobRegistry registry,
                JobsProperties properties,
                EngineEnvironment engine,
                CurrentDelivery current,
                ObjectProvider<Transactions> transactions) {
            MemoryLocks locks = new MemoryLocks(clock::instant);
            return new MemoryEngine(
                    mode(environment) == JobsMode.INLINE,
                    clock,
                    config.times(),
                    hooks::getObject,
                    new LateValue<>(() -> new InlineRunner(
                            registry,
                            hooks.getObject(),
                            properties.retry().maxAttempts(),
                            config.times(),
                            engine,
                            properties.limiters().config(),
                            current,
                            locks::begins)),
                    recurring::getObject,
                    locks,
                    transactions::getObject);
        }

        @Bean
        @Primary
        RecordedJobs jobsStore(MemoryEngine engine, JobRegistry registry) {
            return new RecordedJobs(engine, registry);
        }

        @Bean
        RoomForAll jobsLimiterStore() {
            return new RoomForAll();
        }

        @Bean
        MemoryRecurringJobs jobsRecurringJobs(
                UnstoredJobs unstored,
                TestClock clock,
                ClientConfig config,
                EngineEnvironment environment,
                JobRegistry registry,
                ObjectProvider<ConfiguredSchedules> configured,
                JobsProperties properties,
                RecordedJobs store,
                ObjectProvider<JobHooks> hooks) {
            return new MemoryRecurringJobs(
                    unstored,
                    clock,
                    config,
                    environment.random(),
                    registry,
                    configured.getIfAvailable(() -> ConfiguredSchedules.NONE),
                    store,
                    hooks::getObject,
                    properties.recurring().grace());
        }
    }

    /** A Redis for the jobs alone. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = REDIS, havingValue = OWN)
    @Import(RedisOnDemand.class)
    static class OnOwnRedis {

        @Bean
        OwnRedis jobsTestRedis() {
            return new OwnRedis();
        }

        @Bean
        RedisConnections jobsRedisConnections(OwnRedis redis, JobsProperties properties) {
            return redis.connections(properties.keys());
        }
    }

    /** A worker, on whichever Redis has the jobs. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = MODE, havingValue = "WORKER")
    static class WithWorker {

        @Bean
        WorkerState jobsTestState(RedisConnections redis, JobsProperties properties) {
            return new WorkerState(redis, properties.recurring().namespace());
        }

        @Bean
        WorkerEngine jobsTestEngine(
                Environment environment,
                WorkerState state,
                TestClock clock,
                ExecutionEnds executions,
                ObjectProvider<RecurringJobs> recurring,
                ObjectProvider<OwnEngines> engines,
                ObjectProvider<OutboxBacklog> outbox) {
            boolean own = OWN.equals(environment.getProperty(REDIS));
            return new WorkerEngine(
                    state, own, clock, executions, recurring::getObject, untoldDeaths(engines), rows(outbox));
        }

        @Bean
        @Primary
        RecordedJobs jobsStore(RedisConnections redis, DeadSetBounds dead, JobRegistry registry) {
            return new RecordedJobs(new RedisJobStore(redis, dead), registry);
        }
    }

    private static IntSupplier untoldDeaths(ObjectProvider<OwnEngines> engines) {
        return () -> engines.stream()
                .flatMap(each -> each.byInstallation().values().stream())
                .mapToInt(JobEngine::untoldDeaths)
                .sum();
    }

    private static LongSupplier rows(ObjectProvider<OutboxBacklog> outbox) {
        return () -> outbox.stream().mapToLong(OutboxBacklog::rows).sum();
    }
}
