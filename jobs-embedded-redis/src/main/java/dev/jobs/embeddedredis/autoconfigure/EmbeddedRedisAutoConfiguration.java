package dev.jobs.embeddedredis.autoconfigure;

import dev.jobs.embeddedredis.EmbeddedRedis;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Starts a Redis for an application that configures none: no {@code spring.data.redis.*} address, no service
 * connection, no connection factory. Starts none if {@code jobs.enabled} is false. The server ends with the application
 * context, after everything that uses it, and its data with it.
 */
@AutoConfiguration(before = DataRedisAutoConfiguration.class)
@ConditionalOnBooleanProperty(
        name = {"jobs.enabled", "jobs.embedded-redis.enabled"},
        matchIfMissing = true)
@ConditionalOnMissingBean({DataRedisConnectionDetails.class, RedisConnectionFactory.class})
@Conditional(OnNoRedisAddress.class)
@ImportRuntimeHints(EmbeddedRedisHints.class)
public final class EmbeddedRedisAutoConfiguration {

    private static final Logger logger = LoggerFactory.getLogger(EmbeddedRedisAutoConfiguration.class);

    @Bean
    EmbeddedRedis jobsEmbeddedRedis() {
        EmbeddedRedis redis = EmbeddedRedis.start();
        logger.info(
                "Started an embedded Redis for this application: {}. Its data ends with it; "
                        + "to use a Redis of your own, set spring.data.redis.url",
                redis);
        return redis;
    }

    @Bean
    DataRedisConnectionDetails jobsEmbeddedRedisConnectionDetails(EmbeddedRedis redis) {
        return new EmbeddedRedisConnectionDetails(redis);
    }
}
