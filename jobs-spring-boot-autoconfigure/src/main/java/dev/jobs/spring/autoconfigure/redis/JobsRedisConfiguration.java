package dev.jobs.spring.autoconfigure.redis;

import dev.jobs.Internal;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisServer;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import java.time.Duration;
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
@Internal
public final class JobsRedisConfiguration {

    private static JobsRedisClient client(
            RedisFactories factories, ObjectProvider<DataRedisProperties> redisProperties, JobsProperties properties) {
        LettuceConnectionFactory own = factories.own();
        LettuceConnectionFactory model = own == null ? factories.application() : own;
        ConnectionRules.requireHashTag(model.isClusterAware(), "jobs.key-prefix", properties.keyPrefix());
        DataRedisProperties redis = redisProperties.getIfAvailable();
        return JobsRedisClient.like(
                model,
                ConnectionRules.timeout(model.getClientConfiguration().getCommandTimeout(), redis),
                own == null ? RedisSettings.of(redis) : RedisSettings.BEAN);
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

        @Bean
        RedisConnections jobsRedisConnections(JobsRedisClient client, JobsProperties properties) {
            return new RedisConnections(
                    client::client, properties.keys(), client.settings().getCommandTimeout(), client.server());
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

        @Bean
        RedisConnections jobsRedisConnections(
                LateRedisClient client,
                ObjectProvider<DataRedisProperties> redisProperties,
                JobsProperties properties) {
            DataRedisProperties redis = redisProperties.getIfAvailable();
            Duration timeout = redis == null ? null : redis.getTimeout();
            return new RedisConnections(
                    client::client,
                    properties.keys(),
                    ConnectionRules.timeout(timeout == null ? ConnectionRules.DEFAULT_TIMEOUT : timeout, redis),
                    new RedisServer("", false, RedisSettings.of(redis)));
        }
    }
}
