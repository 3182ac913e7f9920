package dev.jobs.benchmarks.application.redis;

import dev.jobs.benchmarks.application.Readiness;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.stereotype.Component;

/** The connection to Redis, which is ready when Redis has answered over it. */
@Component
record RedisReadiness(RedisConnectionFactory factory) implements Readiness {

    @Override
    public boolean isReady() {
        try (RedisConnection connection = factory.getConnection()) {
            return "PONG".equals(connection.ping());
        }
    }
}
