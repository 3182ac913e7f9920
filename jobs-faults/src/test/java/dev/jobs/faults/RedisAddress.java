package dev.jobs.faults;

import dev.jobs.ordered.OrderRule;
import dev.jobs.ordered.OrderRules;
import dev.jobs.redis.AsyncRedisClient;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The address of Redis in a scenario: that of a server, of a Sentinel, or of the nodes of a cluster, where all keys
 * have a hash tag.
 */
record RedisAddress(String uri) {

    private static final String CLUSTER = "redis-cluster://";

    static RedisAddress ofCluster(List<Integer> ports) {
        return new RedisAddress(CLUSTER
                + String.join(
                        ",", ports.stream().map(port -> "127.0.0.1:" + port).toList()));
    }

    boolean isCluster() {
        return uri.startsWith(CLUSTER);
    }

    /** What all keys begin with. */
    String prefix() {
        return isCluster() ? "{shop}:" : "";
    }

    /** The keys of all clients and workers. */
    RedisKeys keys() {
        return new RedisKeys(prefix(), new OrderRules(Map.of(ClientJobs.IN_TURN, OrderRule.fair())));
    }

    /** The addresses of all nodes of a cluster, or the one of a server. */
    List<RedisURI> nodes(Duration timeout) {
        return (isCluster()
                        ? Stream.of(uri.substring(CLUSTER.length()).split(",")).map(node -> "redis://" + node)
                        : Stream.of(uri))
                .map(RedisURI::create)
                .peek(node -> node.setTimeout(timeout))
                .toList();
    }

    /** A client as applications have it for the library. */
    AbstractRedisClient client(ClientResources resources, Duration timeout) {
        if (isCluster()) {
            RedisClusterClient client = RedisClusterClient.create(resources, nodes(timeout));
            client.setOptions(
                    ClusterClientOptions.builder(RedisConnections.options(ClusterClientOptions.create(), timeout))
                            .build());
            return client;
        }
        RedisClient client = new AsyncRedisClient(resources, nodes(timeout).get(0));
        client.setOptions(RedisConnections.options(ClientOptions.create(), timeout));
        return client;
    }
}
