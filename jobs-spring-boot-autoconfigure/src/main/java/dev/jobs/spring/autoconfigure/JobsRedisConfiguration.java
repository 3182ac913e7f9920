package dev.jobs.spring.autoconfigure;

import dev.jobs.JobDefinitionException;
import dev.jobs.client.JobStore;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.RedisServer;
import dev.jobs.spring.autoconfigure.ShardConnections.Home;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Connections to the Redis of the factory named {@value RedisFactories#OWN}, if there is one, or the application's. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(RedisConnections.class)
final class JobsRedisConfiguration {

    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

    /** The part of a key by which a Redis Cluster finds its slot: the first pair of braces, unless it is empty. */
    private static final Pattern HASH_TAG = Pattern.compile("[^{]*\\{[^}]+}.*");

    private static JobsRedisClient client(
            RedisFactories factories, ObjectProvider<DataRedisProperties> redisProperties, JobsProperties properties) {
        LettuceConnectionFactory own = factories.own();
        LettuceConnectionFactory model = own == null ? factories.application() : own;
        requireHashTag(model.isClusterAware(), "jobs.key-prefix", properties.keyPrefix());
        DataRedisProperties redis = redisProperties.getIfAvailable();
        return JobsRedisClient.like(
                model,
                timeout(model.getClientConfiguration().getCommandTimeout(), redis),
                own == null ? RedisSettings.of(redis) : RedisSettings.BEAN);
    }

    /** @throws JobDefinitionException if it is a cluster and the prefix of its keys has no hash tag */
    static void requireHashTag(boolean cluster, String property, String prefix) {
        if (cluster && !HASH_TAG.matcher(prefix).matches()) {
            throw new JobDefinitionException(
                    "Redis is a cluster, and the property " + property + " is '" + prefix
                            + "': without a hash tag in it the keys of one job lie on several nodes, which no script can reach at once",
                    "Set " + property
                            + " to a name in braces, such as \"{shop}:\". To spread load over the nodes, give each installation "
                            + "of Jobs its own.");
        }
    }

    /**
     * The factory's timeout, unless it is Lettuce's default of a minute, which would make callers wait too long and
     * which the properties did not ask for.
     */
    static Duration timeout(Duration model, @Nullable DataRedisProperties properties) {
        boolean chosen = properties != null && model.equals(properties.getTimeout());
        return model.isZero() || model.isNegative() || (!chosen && model.equals(RedisURI.DEFAULT_TIMEOUT_DURATION))
                ? DEFAULT_TIMEOUT
                : model;
    }

    /** The client that everything uses. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "jobs.enabled", matchIfMissing = true)
    static class On {

        @Bean
        JobsRedisClient jobsRedisClient(
                ObjectProvider<RedisConnectionFactory> injected,
                ObjectProvider<DataRedisProperties> redisProperties,
                JobsProperties properties,
                ConfigurableListableBeanFactory beanFactory) {
            new OwnFactoryCheck(beanFactory).run();
            return client(new RedisFactories(beanFactory, injected), redisProperties, properties);
        }

        /** Of a store of its own, such as that of tests, the library knows no shards. */
        @Bean
        @ConditionalOnMissingBean(JobStore.class)
        ShardConnections jobsShardConnections(
                JobsRedisClient client,
                RedisConnections connections,
                JobsProperties properties,
                ShardsProperties shards,
                ConfigurableListableBeanFactory beanFactory) {
            return new ShardConnections(
                    ShardLayout.of(shards, properties.keyPrefix()),
                    shards,
                    new Home(connections, client::client, client.address(), client.server()),
                    beanFactory,
                    (address, model, options, timeout, names) ->
                            ShardConnections.running(client.beside(address, model, options, timeout, names)));
        }

        @Bean
        RedisConnections jobsRedisConnections(JobsRedisClient client, JobsProperties properties) {
            return new RedisConnections(
                    client::client,
                    new RedisKeys(properties.keyPrefix(), OrderedQueueProperties.rules(properties.orderedQueues())),
                    client.settings().getCommandTimeout(),
                    client.server());
        }
    }

    /** A client that the first call creates, so that an application without Redis starts. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "jobs.enabled", havingValue = false)
    static class Off {

        @Bean
        LateRedisClient jobsLateRedisClient(
                ObjectProvider<RedisConnectionFactory> injected,
                ObjectProvider<DataRedisProperties> redisProperties,
                JobsProperties properties,
                ConfigurableListableBeanFactory beanFactory) {
            RedisFactories factories = new RedisFactories(beanFactory, injected);
            return new LateRedisClient(() -> client(factories, redisProperties, properties));
        }

        /** Of a store of its own, such as that of tests, the library knows no shards. */
        @Bean
        @ConditionalOnMissingBean(JobStore.class)
        ShardConnections jobsShardConnections(
                LateRedisClient client,
                RedisConnections connections,
                JobsProperties properties,
                ShardsProperties shards,
                ObjectProvider<DataRedisProperties> redisProperties,
                ConfigurableListableBeanFactory beanFactory) {
            return new ShardConnections(
                    ShardLayout.of(shards, properties.keyPrefix()),
                    shards,
                    new Home(
                            connections,
                            client::client,
                            null,
                            new RedisServer("", false, RedisSettings.of(redisProperties.getIfAvailable()))),
                    beanFactory,
                    (address, model, options, timeout, names) -> ShardConnections.late(
                            new LateRedisClient(() -> client.own().beside(address, model, options, timeout, names))));
        }

        @Bean
        RedisConnections jobsRedisConnections(
                LateRedisClient client,
                ObjectProvider<DataRedisProperties> redisProperties,
                JobsProperties properties) {
            DataRedisProperties redis = redisProperties.getIfAvailable();
            Duration timeout = redis == null ? null : redis.getTimeout();
            return new RedisConnections(
                    client::client,
                    new RedisKeys(properties.keyPrefix(), OrderedQueueProperties.rules(properties.orderedQueues())),
                    timeout(timeout == null ? DEFAULT_TIMEOUT : timeout, redis),
                    new RedisServer("", false, RedisSettings.of(redis)));
        }
    }
}
