package dev.jobs.embeddedredis.autoconfigure;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/**
 * Points Boot's Redis client at an address where there never is a server, instead of its default: a Redis of the
 * developer must not get jobs of tests, nor lose some to their workers.
 */
final class NoEmbeddedRedis implements DataRedisConnectionDetails {

    /** No name below {@code invalid} has an address, and messages about failed connections show it. */
    static final String HOST = "no-embedded-redis-on-this-platform.invalid";

    @Override
    public Standalone getStandalone() {
        return Standalone.of(HOST, 6379);
    }
}
