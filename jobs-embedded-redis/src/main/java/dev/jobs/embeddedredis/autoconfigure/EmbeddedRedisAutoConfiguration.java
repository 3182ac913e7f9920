package dev.jobs.embeddedredis.autoconfigure;

import dev.jobs.embeddedredis.EmbeddedRedis;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Starts a Redis for an application that configures none: no {@code spring.data.redis.*} address, no service
 * connection, no connection factory. Starts none if {@code jobs.enabled} is false. The server ends with the application
 * context, after everything that uses it, and its data with it. Clients need its password, which is a new one for each
 * start and reaches Spring Data Redis through {@link DataRedisConnectionDetails}.
 */
@AutoConfiguration(before = DataRedisAutoConfiguration.class)
@ConditionalOnBooleanProperty(
        name = {"jobs.enabled", "jobs.embedded-redis.enabled"},
        matchIfMissing = true)
@ConditionalOnMissingBean({DataRedisConnectionDetails.class, RedisConnectionFactory.class})
@Conditional(OnNoRedisAddress.class)
@ImportRuntimeHints(EmbeddedRedisHints.class)
public final class EmbeddedRedisAutoConfiguration {

    @Bean
    EmbeddedRedis jobsEmbeddedRedis(Environment environment) {
        EmbeddedRedis redis = EmbeddedRedis.builder().withPassword().start();
        StartNotice.log(redis, environment);
        return redis;
    }

    @Bean
    DataRedisConnectionDetails jobsEmbeddedRedisConnectionDetails(EmbeddedRedis redis) {
        return new EmbeddedRedisConnectionDetails(redis);
    }
}
