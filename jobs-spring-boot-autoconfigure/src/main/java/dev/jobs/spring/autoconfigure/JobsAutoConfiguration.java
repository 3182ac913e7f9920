package dev.jobs.spring.autoconfigure;

import dev.jobs.ArgumentMask;
import dev.jobs.ArgumentMasking;
import dev.jobs.ArgumentSeal;
import dev.jobs.DeathHandler;
import dev.jobs.EnqueueMiddleware;
import dev.jobs.JobClient;
import dev.jobs.JobErrorHandler;
import dev.jobs.JobHooks;
import dev.jobs.JobJsonCustomizer;
import dev.jobs.JobListener;
import dev.jobs.JobMiddleware;
import dev.jobs.JobRegistry;
import dev.jobs.JobUpcaster;
import dev.jobs.RetryPolicy;
import dev.jobs.admin.FindingSource;
import dev.jobs.admin.RedisFindings;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.assembly.RedisJobStore;
import dev.jobs.batches.BatchJournal;
import dev.jobs.batches.Batches;
import dev.jobs.batches.RedisBatches;
import dev.jobs.client.ClientConfig;
import dev.jobs.client.JobStore;
import dev.jobs.codec.ArgumentCodec;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.limiters.CurrentDelivery;
import dev.jobs.limiters.JobLimiters;
import dev.jobs.limiters.LimiterStore;
import dev.jobs.limiters.Limiters;
import dev.jobs.limiters.StoredLimiters;
import dev.jobs.recurring.ConfiguredSchedules;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.recurring.RedisRecurringJobs;
import dev.jobs.redis.RedisConnections;
import dev.jobs.spring.autoconfigure.beans.LateValue;
import dev.jobs.spring.autoconfigure.checks.ConfiguredNames;
import dev.jobs.spring.autoconfigure.checks.ConfiguredValue;
import dev.jobs.spring.autoconfigure.checks.ForeignKeys;
import dev.jobs.spring.autoconfigure.checks.LoneValues;
import dev.jobs.spring.autoconfigure.checks.PropertyCheck;
import dev.jobs.spring.autoconfigure.client.ClientParts;
import dev.jobs.spring.autoconfigure.client.ClientWarmUp;
import dev.jobs.spring.autoconfigure.client.FeatureExtension;
import dev.jobs.spring.autoconfigure.client.FreshIds;
import dev.jobs.spring.autoconfigure.client.LateHooks;
import dev.jobs.spring.autoconfigure.discovery.ChildContexts;
import dev.jobs.spring.autoconfigure.discovery.JobDiscovery;
import dev.jobs.spring.autoconfigure.encryption.EncryptionProperties;
import dev.jobs.spring.autoconfigure.encryption.JobsEncryptionConfiguration;
import dev.jobs.spring.autoconfigure.events.EventPublisher;
import dev.jobs.spring.autoconfigure.installations.OwnInstallations;
import dev.jobs.spring.autoconfigure.installations.OwnStores;
import dev.jobs.spring.autoconfigure.installations.SingleInstallation;
import dev.jobs.spring.autoconfigure.names.NameCheck;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import dev.jobs.spring.autoconfigure.redis.JobsRedisConfiguration;
import dev.jobs.spring.autoconfigure.transactions.CommitLifecycle;
import dev.jobs.spring.autoconfigure.transactions.JobsTransactionConfiguration;
import dev.jobs.spring.autoconfigure.worker.JobsOwnEngineConfiguration;
import dev.jobs.spring.autoconfigure.worker.JobsWorkerConfiguration;
import dev.jobs.spring.autoconfigure.worker.SpringThreadStates;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.threads.ThreadState;
import dev.jobs.transactions.Outbox;
import dev.jobs.transactions.Transactions;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryInitializer;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/**
 * Auto-configuration of the job client, the administration and the worker, on the Redis that the application is
 * connected to. With {@code jobs.enabled=false}, beans that an application injects are still there, but nothing runs.
 */
@AutoConfiguration(after = {DataRedisAutoConfiguration.class, LifecycleAutoConfiguration.class})
@EnableConfigurationProperties(JobsProperties.class)
@Import({
    JobsRedisConfiguration.class,
    SpringThreadStates.class,
    JobsTransactionConfiguration.class,
    JobsWorkerConfiguration.class,
    JobsOwnEngineConfiguration.class,
    JobsEncryptionConfiguration.class
})
public final class JobsAutoConfiguration {

    @Bean
    EncryptionProperties jobsEncryptionProperties(JobsProperties properties) {
        return properties.encryption();
    }

    @Bean
    @ConditionalOnMissingBean
    JobHooks jobsHooks(
            ObjectProvider<EnqueueMiddleware> enqueueMiddleware,
            ObjectProvider<JobMiddleware> jobMiddleware,
            ObjectProvider<RetryPolicy> retryPolicies,
            ObjectProvider<DeathHandler> deathHandlers,
            ObjectProvider<JobErrorHandler> errorHandlers,
            ObjectProvider<JobListener> listeners,
            ObjectProvider<ArgumentMask> argumentMasks,
            ObjectProvider<FeatureExtension<?>> features) {
        List<FeatureExtension<?>> ofFeatures = features.orderedStream().toList();
        JobHooks hooks = JobHooks.none();
        hooks = with(hooks, EnqueueMiddleware.class, enqueueMiddleware, ofFeatures);
        hooks = with(hooks, JobMiddleware.class, jobMiddleware, ofFeatures);
        hooks = with(hooks, RetryPolicy.class, retryPolicies, ofFeatures);
        hooks = with(hooks, DeathHandler.class, deathHandlers, ofFeatures);
        hooks = with(hooks, JobErrorHandler.class, errorHandlers, ofFeatures);
        hooks = with(hooks, JobListener.class, listeners, ofFeatures);
        return with(hooks, ArgumentMask.class, argumentMasks, ofFeatures);
    }

    private static <T> JobHooks with(
            JobHooks hooks, Class<T> kind, ObjectProvider<T> beans, List<FeatureExtension<?>> ofFeatures) {
        return hooks.with(kind, FeatureExtension.around(kind, beans.orderedStream(), ofFeatures));
    }

    /** For handlers that log: what they are given is not masked. */
    @Bean
    @ConditionalOnMissingBean
    ArgumentMasking jobsArgumentMasking(JobRegistry registry, ObjectProvider<ArgumentMask> masks) {
        return new ArgumentMasking(registry, masks.orderedStream().toList());
    }

    @Bean
    @ConditionalOnMissingBean
    OwnInstallations jobsOwnInstallation(BeanFactory beans, Environment environment) {
        return new SingleInstallation(beans, environment);
    }

    @Bean
    EventPublisher jobsEventPublisher(ApplicationContext context) {
        return new EventPublisher(context);
    }

    @Bean
    FeatureExtension<DeathHandler> jobsDeathEvents(EventPublisher events) {
        return FeatureExtension.after(DeathHandler.class, events.deaths());
    }

    @Bean
    @ConditionalOnMissingBean
    DeadSetBounds jobsDeadSetBounds(JobsProperties properties) {
        return new DeadSetBounds(properties.dead().maxJobs(), properties.dead().retention());
    }

    @Bean
    @ConditionalOnMissingBean
    EngineEnvironment jobsEngineEnvironment(Environment environment, ObjectProvider<ThreadState> states) {
        EngineEnvironment system = EngineEnvironment.system()
                .withThreadStates(states.orderedStream().toList());
        return Threading.VIRTUAL.isActive(environment)
                ? system.withProcessorThreads(new VirtualThreadTaskExecutor().getVirtualThreadFactory())
                : system;
    }

    @Bean
    @ConditionalOnMissingBean
    ClientConfig jobsClientConfig(JobsProperties properties) {
        return new ClientConfig(
                properties.maxPayload().toBytes(),
                ClientConfig.defaults().bulkSlice(),
                properties.sidekiq().times(),
                properties.results().keep());
    }

    /** Replaced in tests, so that the client they use is the real one. */
    @Bean
    @ConditionalOnMissingBean(JobStore.class)
    JobStore jobsStore(RedisConnections redis, DeadSetBounds dead, ObjectProvider<OwnStores> several) {
        OwnStores stores = several.getIfAvailable();
        JobStore store = stores == null ? null : stores.store(dead);
        return store == null ? new RedisJobStore(redis, dead) : store;
    }

    @Bean
    ClientParts jobsClientParts(
            JobStore store,
            JobRegistry registry,
            ObjectProvider<JobHooks> hooks,
            ClientConfig config,
            EngineEnvironment environment,
            Transactions transactions,
            ObjectProvider<Outbox> outbox,
            JobsProperties properties,
            ListableBeanFactory beans) {
        return new ClientParts(
                store,
                registry,
                LateHooks.of(hooks),
                config,
                environment,
                transactions,
                outbox.getIfAvailable(() -> ClientParts.withoutOutbox(properties, beans)));
    }

    @Bean
    @ConditionalOnMissingBean(JobClient.class)
    RedisJobClient jobsClient(ClientParts parts) {
        return parts.client();
    }

    /**
     * Batches need the library's own client: its middleware and rules apply to their jobs. A test that replaces the
     * bean of the client does so when the conditions have been evaluated.
     */
    @Bean
    @ConditionalOnMissingBean(Batches.class)
    @ConditionalOnBean(RedisJobClient.class)
    RedisBatches jobsBatches(
            RedisConnections redis,
            ObjectProvider<RedisJobClient> client,
            ClientParts parts,
            ObjectProvider<BatchJournal> journal,
            OwnInstallations installations) {
        return new RedisBatches(
                redis,
                client.getIfAvailable(parts::client),
                parts.environment().random(),
                journal.getIfAvailable(),
                installations.queuesOfHomeAndLeaving());
    }

    /** Replaced in tests without Redis. */
    @Bean
    @ConditionalOnMissingBean(LimiterStore.class)
    JobLimiters jobsLimiterStore(RedisConnections redis) {
        return new JobLimiters(redis);
    }

    /** What limiters know of the jobs that an engine runs. */
    @Bean
    @ConditionalOnMissingBean
    CurrentDelivery jobsCurrentDelivery() {
        return new CurrentDelivery();
    }

    @Bean
    @ConditionalOnMissingBean(Limiters.class)
    StoredLimiters jobsLimiters(
            LimiterStore store,
            CurrentDelivery current,
            ObjectProvider<JobHooks> hooks,
            EngineEnvironment environment) {
        return new StoredLimiters(store, current, LateHooks.of(hooks), environment.nanoTime(), environment.random());
    }

    @Bean
    FreshIds jobsFreshIds(
            ObjectProvider<RedisJobClient> clients, OwnInstallations installations, EngineEnvironment environment) {
        return new FreshIds(() -> Stream.concat(clients.stream(), installations.clients()), environment.random());
    }

    @Bean
    @ConditionalOnBooleanProperty(name = "jobs.enabled", matchIfMissing = true)
    ClientWarmUp jobsClientWarmUp(ObjectProvider<RedisJobClient> clients) {
        return new ClientWarmUp(clients::stream);
    }

    @Bean
    CommitLifecycle jobsCommitLifecycle(ObjectProvider<RedisJobClient> clients, OwnInstallations installations) {
        return new CommitLifecycle(() -> Stream.concat(clients.stream(), installations.clients()));
    }

    @Bean
    @ConditionalOnMissingBean(RecurringJobs.class)
    RedisRecurringJobs jobsRecurringJobs(
            RedisConnections redis,
            JobRegistry registry,
            ObjectProvider<JobHooks> hooks,
            ClientConfig config,
            EngineEnvironment environment,
            JobsProperties properties,
            OwnInstallations installations) {
        return new RedisRecurringJobs(
                redis,
                registry,
                LateHooks.of(hooks),
                config,
                environment.random(),
                properties.recurring().namespace(),
                installations.queuesOfHome());
    }

    @Bean
    @ConditionalOnMissingBean
    JobsAdmin jobsAdmin(
            RedisConnections redis,
            DeadSetBounds dead,
            ObjectProvider<JobHooks> hooks,
            EngineEnvironment environment,
            JobsProperties properties,
            ObjectProvider<RedisFindings> ofThisRedis,
            ObjectProvider<FindingSource> findings) {
        return new JobsAdmin(
                redis,
                dead,
                LateHooks.of(hooks),
                environment.clock(),
                properties.sidekiq().times(),
                ofThisRedis,
                findings);
    }

    /** Spring asks for it before it binds the first properties. */
    @Bean
    static ForeignKeys jobsForeignKeys() {
        return new ForeignKeys(NameCheck.LIMITS, NameCheck.QUEUE_LIMITS);
    }

    /** Bean methods that Spring calls before all others. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(JobRegistry.class)
    static class Discovery {

        @Bean
        static JobDiscovery jobsDiscovery(ConfigurableListableBeanFactory beanFactory) {
            return new JobDiscovery(beanFactory);
        }

        @Bean
        static JobRegistry jobsRegistry(
                JobDiscovery discovery,
                ObjectProvider<JobJsonCustomizer> json,
                ObjectProvider<JobUpcaster> upcasters,
                ObjectProvider<ArgumentSeal> seal) {
            ArgumentCodec codec = new ArgumentCodec(json.orderedStream().toList());
            return new JobRegistry(
                    discovery.find(codec),
                    () -> upcasters.orderedStream().toList(),
                    codec,
                    new LateValue<>(() -> seal.getIfAvailable(() -> ArgumentSeal.NONE)));
        }

        /** Discovers jobs before any other bean exists, so the result never depends on which bean asks first. */
        @Bean
        static BeanFactoryInitializer<ConfigurableListableBeanFactory> jobsRegistryInitializer() {
            return beanFactory -> beanFactory.getBean(JobRegistry.class);
        }

        @Bean
        static SmartInitializingSingleton jobsRegistryCheck(JobDiscovery discovery, JobRegistry registry) {
            return () -> discovery.check(registry);
        }

        @Bean
        @ConditionalOnBooleanProperty(name = "jobs.enabled", matchIfMissing = true)
        static ChildContexts jobsChildContexts(
                ApplicationContext context, JobDiscovery discovery, JobRegistry registry) {
            return new ChildContexts(context, discovery, registry);
        }
    }

    /** What is set is in force: an application that is turned off may start with anything. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "jobs.enabled", matchIfMissing = true)
    static class Checks {

        @Bean
        static PropertyCheck jobsPropertyCheck(
                ConfigurableListableBeanFactory beans, ConfigurableEnvironment environment, JobsProperties properties) {
            return new PropertyCheck(beans, environment, properties.capsules().keySet());
        }

        @Bean
        static ConfiguredSchedules jobsConfiguredSchedules(
                JobsProperties properties, JobRegistry registry, ClientConfig config) {
            return properties.recurring().declared(registry, config);
        }

        /** When all beans exist: reading them may need upcasters. */
        @Bean
        static SmartInitializingSingleton jobsConfiguredSchedulesCheck(ConfiguredSchedules schedules) {
            return schedules::declared;
        }

        @Bean
        static ConfiguredNames jobsScheduledJobs(JobsProperties properties) {
            return properties.recurring().names();
        }

        @Bean
        static NameCheck jobsNameCheck(
                JobsProperties properties,
                JobRegistry registry,
                ConfiguredSchedules schedules,
                ObjectProvider<ConfiguredNames> others,
                ObjectProvider<ConfiguredNames.Several> several,
                ConfigurableListableBeanFactory beans,
                ConfigurableEnvironment environment) {
            return new NameCheck(properties, registry, schedules, others, several, new LoneValues(beans, environment));
        }
    }

    /** Says that jobs wait: an application that enqueues them looks as if all were well. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "jobs.enabled", havingValue = false)
    static class Off {

        private static final Logger log = LoggerFactory.getLogger(JobsAutoConfiguration.class);

        @Bean
        static SmartInitializingSingleton jobsOffNotice(Environment environment) {
            return () -> log.info(
                    "jobs.enabled is false ({}): this application runs no jobs, and has no metrics, health, endpoint or "
                            + "dashboard of them. Jobs that it enqueues wait for another application",
                    ConfiguredValue.origin("jobs.enabled", environment));
        }
    }
}
