package dev.jobs.spring.autoconfigure.redis;

import dev.jobs.Internal;
import dev.jobs.JobClient;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.PayloadTimes;
import dev.jobs.admin.RedisFindings;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.assembly.RedisJobStore;
import dev.jobs.batches.Batches;
import dev.jobs.batches.RedisBatches;
import dev.jobs.client.ClientConfig;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.recurring.RedisRecurringJobs;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.RedisServer;
import dev.jobs.redis.RedisServer.Setting;
import dev.jobs.spring.autoconfigure.ordered.OrderedQueueProperties;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.transactions.Transactions;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The jobs of another installation than the application's own, which are looked at and acted on from here. The first
 * use opens connections. The application's hooks are not called: middleware, listeners and death handlers are for the
 * jobs of the application that has them, and with its data. Thread-safe.
 */
@Internal
public final class OtherInstallation implements AutoCloseable {

    /** What is killed from here pushes nothing out: how many dead jobs are kept, its own workers decide. */
    private static final DeadSetBounds ALL = new DeadSetBounds(Integer.MAX_VALUE, Duration.ofDays(36_500));

    private final LateRedisClient redis;
    private final JobsAdmin admin;
    private final RedisJobClient client;
    private final RedisBatches batches;
    private final RedisRecurringJobs recurring;

    /**
     * @param prefix of the names of its properties, with a dot at its end
     * @param beans where the bean of its connection is, if it has one
     * @param registry the jobs that this application knows by name; their options apply to jobs that are enqueued
     * @param findings what warns of its Redis beside the library's own checks
     * @throws JobDefinitionException if the bean is not there or not for this installation alone
     */
    public OtherInstallation(
            String prefix,
            InstallationRedis settings,
            ConfigurableListableBeanFactory beans,
            JobRegistry registry,
            ClientConfig config,
            EngineEnvironment environment,
            Iterable<RedisFindings> findings) {
        LettuceConnectionFactory bean = settings.isBean() ? bean(prefix, settings, beans, "installation") : null;
        RedisConfiguration address = bean == null ? settings.address() : RedisAddress.of(bean);
        LettuceClientConfiguration model = bean == null
                ? LettuceClientConfiguration.builder().apply(settings.uri()).build()
                : bean.getClientConfiguration();
        Duration timeout = ConnectionRules.timeout(model.getCommandTimeout(), null);
        Function<Setting, String> names = settings.names(prefix);
        this.redis = new LateRedisClient(() -> JobsRedisClient.of(address, model, timeout, names));
        RedisConnections connections = new RedisConnections(
                redis::client,
                new RedisKeys(settings.keyPrefix(), OrderedQueueProperties.rules(settings.orderedQueues())),
                timeout,
                new RedisServer(RedisAddress.text(address), model.isUseSsl(), names));
        PayloadTimes times = settings.floatSeconds() ? PayloadTimes.FLOAT_SECONDS : PayloadTimes.MILLISECONDS;
        ClientConfig sizes = new ClientConfig(config.maxPayload(), config.bulkSlice(), times, config.keepResult());
        this.admin = new JobsAdmin(connections, ALL, JobHooks.none(), environment.clock(), times, findings, List.of());
        this.client = new RedisJobClient(
                new RedisJobStore(connections, ALL),
                registry,
                JobHooks.none(),
                sizes,
                environment.clock(),
                environment.random(),
                Transactions.NONE,
                null);
        this.batches = new RedisBatches(connections, client, environment.random(), null);
        this.recurring = new RedisRecurringJobs(
                connections, registry, JobHooks.none(), sizes, environment.random(), settings.recurringNamespace());
    }

    /** @param whose what the bean is for */
    public static LettuceConnectionFactory bean(
            String prefix, InstallationRedis settings, ConfigurableListableBeanFactory beans, String whose) {
        String name = settings.connectionFactory();
        if (!beans.containsBeanDefinition(name) || !beans.isTypeMatch(name, RedisConnectionFactory.class)) {
            throw noFactory(prefix, name);
        }
        if (beans.getMergedBeanDefinition(name).isAutowireCandidate()) {
            throw new JobDefinitionException(
                    "The bean '" + name + "' is not only for the " + whose + " that " + prefix
                            + "connection-factory is about: it takes part in injection and in the application's health",
                    "Declare it with @Bean(autowireCandidate = false).");
        }
        if (!(beans.getBean(name) instanceof LettuceConnectionFactory bean)) {
            throw noFactory(prefix, name);
        }
        ConnectionRules.requireHashTag(bean.isClusterAware(), prefix + "key-prefix", settings.keyPrefix());
        return bean;
    }

    private static JobDefinitionException noFactory(String prefix, String name) {
        return new JobDefinitionException(
                prefix + "connection-factory is '" + name
                        + "', and there is no LettuceConnectionFactory bean of that name",
                "Define it with @Bean(autowireCandidate = false), or set " + prefix + "url instead.");
    }

    public JobsAdmin admin() {
        return admin;
    }

    public JobClient client() {
        return client;
    }

    public Batches batches() {
        return batches;
    }

    public RecurringJobs recurring() {
        return recurring;
    }

    /** Closes the connections, such as while the application is paused; the next use opens others. */
    public void stop() {
        redis.stop();
    }

    /** Closes the connections; every later call fails. */
    @Override
    public void close() {
        recurring.close();
        batches.close();
        client.close();
        admin.close();
        redis.destroy();
    }
}
