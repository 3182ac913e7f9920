package dev.jobs.embeddedredis.autoconfigure;

import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.embeddedredis.UnsupportedPlatformException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Starts a Redis for an application that configures none: no {@code spring.data.redis.*} address, no service
 * connection, no connection factory. Starts none if {@code jobs.enabled} is false. The server ends with the application
 * context, after everything that uses it, and its data with it. Clients need its password, which is a new one for each
 * start and reaches Spring Data Redis through {@link DataRedisConnectionDetails}. On a platform without one, such as Windows, the
 * application starts with a warning, and what uses Redis fails.
 */
@AutoConfiguration(before = DataRedisAutoConfiguration.class)
@ConditionalOnBooleanProperty(
        name = {"jobs.enabled", "jobs.embedded-redis.enabled"},
        matchIfMissing = true)
@ConditionalOnMissingBean({DataRedisConnectionDetails.class, RedisConnectionFactory.class})
@Conditional(OnNoRedisAddress.class)
@EnableConfigurationProperties(EmbeddedRedisProperties.class)
@ImportRuntimeHints(EmbeddedRedisHints.class)
public final class EmbeddedRedisAutoConfiguration {

    private static final Logger logger = LoggerFactory.getLogger(EmbeddedRedisAutoConfiguration.class);

    /** Lazy, since a platform without one doesn't end the start. */
    @Bean
    @Lazy
    EmbeddedRedis jobsEmbeddedRedis(Environment environment) {
        EmbeddedRedis redis = EmbeddedRedis.builder().withPassword().start();
        StartNotice.log(redis, environment);
        return redis;
    }

    @Bean
    DataRedisConnectionDetails jobsEmbeddedRedisConnectionDetails(ObjectProvider<EmbeddedRedis> server) {
        try {
            return new EmbeddedRedisConnectionDetails(server.getObject());
        } catch (BeansException e) {
            if (!(NestedExceptionUtils.getMostSpecificCause(e) instanceof UnsupportedPlatformException unsupported)) {
                throw e;
            }
            logger.warn(
                    "No Redis is started for this application, and whatever needs one will fail. {}. Set "
                            + "spring.data.redis.url to a Redis, such as redis://localhost:6379 after "
                            + "'docker run --publish 6379:6379 redis', or run the application in WSL or in a container",
                    unsupported.getMessage());
            return new NoEmbeddedRedis();
        }
    }
}
