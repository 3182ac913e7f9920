package dev.jobs.spring.autoconfigure.redis;

import dev.jobs.Internal;
import dev.jobs.redis.RedisServer.Setting;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties.Cluster;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties.Sentinel;

/** Where a user finds the settings of the connection to Redis. */
@Internal
public enum RedisSettings implements Function<Setting, String> {
    BEAN {
        @Override
        public String apply(Setting setting) {
            return "the bean '" + RedisFactories.OWN + "'";
        }
    },
    URL {
        @Override
        public String apply(Setting setting) {
            return switch (setting) {
                case ADDRESS -> "host and port in spring.data.redis.url";
                case CREDENTIALS -> "user name and password in spring.data.redis.url";
                case PASSWORD -> "it in spring.data.redis.url, as in redis://:PASSWORD@host:port";
                case DATABASE -> "the database in spring.data.redis.url";
                case TLS -> "the scheme of spring.data.redis.url (rediss: is with TLS, redis: without)";
                case CERTIFICATE -> "spring.data.redis.ssl.bundle";
            };
        }
    },
    PROPERTIES {
        @Override
        public String apply(Setting setting) {
            return switch (setting) {
                case ADDRESS -> "spring.data.redis.host and spring.data.redis.port";
                case CREDENTIALS -> "spring.data.redis.username and spring.data.redis.password";
                case PASSWORD -> "spring.data.redis.password";
                case DATABASE -> "spring.data.redis.database";
                case TLS -> "spring.data.redis.ssl.enabled";
                case CERTIFICATE -> "spring.data.redis.ssl.bundle";
            };
        }
    },
    NODES {
        @Override
        public String apply(Setting setting) {
            return setting == Setting.ADDRESS
                    ? "the nodes in spring.data.redis.sentinel or spring.data.redis.cluster"
                    : PROPERTIES.apply(setting);
        }
    };

    /** The settings of the application's own connection factory. */
    public static RedisSettings of(@Nullable DataRedisProperties properties) {
        if (properties == null) {
            return PROPERTIES;
        }
        Cluster cluster = properties.getCluster();
        Sentinel sentinel = properties.getSentinel();
        if (cluster != null || sentinel != null) {
            return NODES;
        }
        return properties.getUrl() == null ? PROPERTIES : URL;
    }
}
