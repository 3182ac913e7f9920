package dev.jobs.admin;

import dev.jobs.Internal;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import java.time.Clock;

/** Makes a source of warnings about one Redis, which reads it over the connection of its administration. */
@Internal
@FunctionalInterface
public interface RedisFindings {

    FindingSource of(RedisConnection connection, RedisKeys keys, Clock clock);
}
