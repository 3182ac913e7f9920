package dev.jobs.test;

import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.redis.AsyncRedisClient;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A Redis for the jobs of one application context. */
final class OwnRedis implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final EmbeddedRedis server = EmbeddedRedis.builder().withPassword().start();
    private final ClientResources base = DefaultClientResources.create();
    private final ClientResources resources = RedisConnections.resources(base);
    private final RedisClient client;

    OwnRedis() {
        client = new AsyncRedisClient(resources, RedisURI.create(server.uri()));
        client.setOptions(RedisConnections.options(ClientOptions.create(), TIMEOUT));
    }

    RedisConnections connections(RedisKeys keys) {
        return new RedisConnections(() -> client, keys, TIMEOUT);
    }

    @Override
    public void close() {
        client.shutdown(0, 2, TimeUnit.SECONDS);
        resources.shutdown(0, 2, TimeUnit.SECONDS);
        base.shutdown(0, 2, TimeUnit.SECONDS);
        server.close();
    }
}
