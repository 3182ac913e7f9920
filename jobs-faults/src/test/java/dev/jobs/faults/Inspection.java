package dev.jobs.faults;

import dev.jobs.redis.RedisConnections;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The suite's own view of a Redis, which waits while it is away and follows the primary. */
final class Inspection implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Duration OF_THE_LIBRARY = Duration.ofSeconds(30);

    private final ClientResources resources = DefaultClientResources.builder()
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .reconnectDelay(Delay.constant(Duration.ofMillis(100)))
            .build();
    private final RedisAddress address;
    private final AbstractRedisClient client;
    private final RedisClusterCommands<String, String> commands;

    Inspection(RedisAddress address) {
        this.address = address;
        if (address.isCluster()) {
            RedisClusterClient cluster = RedisClusterClient.create(resources, address.nodes(PATIENCE));
            cluster.setOptions(ClusterClientOptions.builder()
                    .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                            .enablePeriodicRefresh(Duration.ofSeconds(1))
                            .build())
                    .build());
            this.client = cluster;
            this.commands = cluster.connect(new Prefixed(address.prefix())).sync();
        } else {
            RedisClient single =
                    RedisClient.create(resources, address.nodes(PATIENCE).get(0));
            this.client = single;
            this.commands = single.connect().sync();
        }
    }

    /** Any command; the names of keys have no prefix. */
    RedisClusterCommands<String, String> commands() {
        return commands;
    }

    /** For the library's own reading. */
    RedisConnections connections() {
        return new RedisConnections(() -> client, address.keys(), OF_THE_LIBRARY);
    }

    /** A line for each connection to any of the servers. */
    List<String> clients() {
        return address.isCluster()
                ? address.nodes(OF_THE_LIBRARY).stream().flatMap(this::clients).toList()
                : commands.clientList().lines().toList();
    }

    private Stream<String> clients(RedisURI node) {
        try (RedisClient single = RedisClient.create(resources, node);
                StatefulRedisConnection<String, String> connection = single.connect()) {
            return connection.sync().clientList().lines().toList().stream();
        } catch (RedisException e) {
            return Stream.of(); // this node is gone
        }
    }

    @Override
    public void close() {
        client.shutdown(0, 2, TimeUnit.SECONDS);
        resources.shutdown(0, 2, TimeUnit.SECONDS);
    }

    /** Adds the prefix to the names of keys, and removes it. */
    private static final class Prefixed extends StringCodec {

        private final String prefix;

        Prefixed(String prefix) {
            super(StandardCharsets.UTF_8);
            this.prefix = prefix;
        }

        @Override
        public ByteBuffer encodeKey(String key) {
            return super.encodeKey(prefix + key);
        }

        @Override
        public void encodeKey(String key, io.netty.buffer.ByteBuf target) {
            super.encodeKey(prefix + key, target);
        }

        @Override
        public String decodeKey(ByteBuffer bytes) {
            String key = super.decodeKey(bytes);
            return key.startsWith(prefix) ? key.substring(prefix.length()) : key;
        }
    }
}
