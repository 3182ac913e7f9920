package dev.jobs.embeddedredis.autoconfigure;

import dev.jobs.embeddedredis.EmbeddedRedis;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/** Points Boot's Redis client at the embedded server. */
final class EmbeddedRedisConnectionDetails implements DataRedisConnectionDetails {

    private final EmbeddedRedis redis;

    EmbeddedRedisConnectionDetails(EmbeddedRedis redis) {
        this.redis = redis;
    }

    @Override
    public @Nullable String getPassword() {
        return redis.password();
    }

    @Override
    public Standalone getStandalone() {
        return Standalone.of(redis.host(), redis.port());
    }
}
