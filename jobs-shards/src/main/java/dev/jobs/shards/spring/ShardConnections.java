package dev.jobs.shards.spring;

import dev.jobs.JobDefinitionException;
import dev.jobs.assembly.RedisJobStore;
import dev.jobs.client.JobStore;
import dev.jobs.redis.RedisConnections;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.RedisServer;
import dev.jobs.redis.RedisServer.Setting;
import dev.jobs.shards.ShardedJobStore;
import dev.jobs.spring.autoconfigure.installations.OwnStores;
import dev.jobs.spring.autoconfigure.redis.ConnectionRules;
import dev.jobs.spring.autoconfigure.redis.InstallationRedis;
import dev.jobs.spring.autoconfigure.redis.JobsRedisClient;
import dev.jobs.spring.autoconfigure.redis.LateRedisClient;
import dev.jobs.spring.autoconfigure.redis.OtherInstallation;
import dev.jobs.spring.autoconfigure.redis.RedisAddress;
import dev.jobs.store.DeadSetBounds;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connections to the shards. Those on the application's Redis share its client, the others have clients of their own,
 * which are opened and closed as that of the home shard is. Nothing connects before the client is warmed up, or the first
 * use. Thread-safe.
 */
final class ShardConnections implements SmartLifecycle, DisposableBean, OwnStores {

    private final ShardLayout layout;
    private final Map<String, Location> locations = new LinkedHashMap<>();
    private final List<Client> clients = new ArrayList<>();

    private volatile boolean running;

    /**
     * Where a shard is.
     *
     * @param address for people
     */
    private record Location(
            RedisConnections connections, String address, Supplier<? extends AbstractRedisClient> client) {}

    /** Makes the clients for other Redis servers. */
    interface Clients {

        /**
         * Makes one.
         *
         * @param model what is said of the connection to that server
         * @param options its client options; null for those of the application's Redis, since a builder of the model
         *     always sets some
         */
        Client open(
                RedisConfiguration address,
                LettuceClientConfiguration model,
                @Nullable ClientOptions options,
                Duration timeout,
                Function<Setting, String> names);
    }

    /** A client for another Redis. */
    interface Client extends Supplier<AbstractRedisClient> {

        void start();

        void stop();

        void destroy();
    }

    /**
     * The application's own Redis.
     *
     * @param address null if it isn't known yet
     */
    record Home(
            RedisConnections connections,
            Supplier<? extends AbstractRedisClient> client,
            @Nullable RedisConfiguration address,
            RedisServer server) {

        private RedisConnections withPrefix(String prefix) {
            RedisKeys keys = new RedisKeys(prefix, connections.keys().sorted());
            return new RedisConnections(client, keys, connections.timeout(), server);
        }

        private String text() {
            return address == null ? "the application's Redis" : RedisAddress.text(address);
        }
    }

    /** @throws JobDefinitionException if two shards have the same keys, or a shard's bean or prefix can't be used */
    ShardConnections(
            ShardLayout layout,
            ShardsProperties properties,
            Home home,
            ConfigurableListableBeanFactory beans,
            Clients factory) {
        this.layout = layout;
        Map<String, String> taken = new HashMap<>();
        layout.prefixes().forEach((name, prefix) -> {
            ShardsProperties.Shard shard = properties.shards().get(name);
            Location location = locations.isEmpty()
                    ? new Location(home.connections(), home.text(), home.client())
                    : shard == null || shard.isOnApplicationsRedis()
                            ? new Location(home.withPrefix(prefix), home.text(), home.client())
                            : open("jobs.shards." + name + ".", shard.redis(prefix), home, beans, factory);
            if (home.address() instanceof RedisClusterConfiguration && location.client() == home.client()) {
                ConnectionRules.requireHashTag(true, "jobs.shards." + name + ".key-prefix", prefix);
            }
            ShardLayout.checkIsOther(
                    taken.put(location.address() + '\n' + prefix, name), name, location.address(), prefix);
            locations.put(name, location);
        });
    }

    private Location open(
            String prefix,
            InstallationRedis settings,
            Home home,
            ConfigurableListableBeanFactory beans,
            Clients factory) {
        LettuceConnectionFactory bean =
                settings.isBean() ? OtherInstallation.bean(prefix, settings, beans, "shard") : null;
        RedisConfiguration address = bean == null ? settings.address() : RedisAddress.of(bean);
        LettuceClientConfiguration model = bean == null
                ? LettuceClientConfiguration.builder().apply(settings.uri()).build()
                : bean.getClientConfiguration();
        Duration timeout = model.getCommandTimeout().equals(RedisURI.DEFAULT_TIMEOUT_DURATION)
                ? home.connections().timeout()
                : ConnectionRules.timeout(model.getCommandTimeout(), null);
        Function<Setting, String> names = settings.names(prefix);
        ClientOptions options = bean == null ? null : model.getClientOptions().orElse(null);
        Client client = factory.open(address, model, options, timeout, names);
        clients.add(client);
        return new Location(
                new RedisConnections(
                        client,
                        new RedisKeys(
                                settings.keyPrefix(), home.connections().keys().sorted()),
                        timeout,
                        new RedisServer(RedisAddress.text(address), model.isUseSsl(), names)),
                RedisAddress.text(address),
                client);
    }

    ShardLayout layout() {
        return layout;
    }

    /** A store that puts each job into its shard. */
    @Override
    public @Nullable JobStore store(DeadSetBounds dead) {
        if (!layout.isSharded()) {
            return null;
        }
        Map<String, JobStore> stores = new LinkedHashMap<>();
        locations.forEach((name, location) -> stores.put(name, new RedisJobStore(location.connections(), dead)));
        return new ShardedJobStore(layout.map(), stores);
    }

    RedisConnections of(String shard) {
        return location(shard).connections();
    }

    /** Where the shard's Redis is, for people. */
    String address(String shard) {
        return location(shard).address();
    }

    /**
     * The node of a cluster that has a shard, as it was known when a connection was last opened; null if it isn't a
     * cluster, or that isn't known, as while the cluster can't be reached. May wait for it.
     */
    @Nullable String node(String shard) {
        Location location = location(shard);
        if (!running || !(location.client().get() instanceof RedisClusterClient cluster)) {
            return null;
        }
        int hashSlot = SlotHash.getSlot(location.connections().keys().prefix());
        try {
            RedisClusterNode node = cluster.getPartitions().getMasterBySlot(hashSlot);
            return node == null
                    ? null
                    : node.getUri().getHost() + ":" + node.getUri().getPort();
        } catch (RuntimeException e) {
            return null; // before the first connection, it asks the cluster
        }
    }

    private Location location(String shard) {
        Location location = locations.get(shard);
        if (location == null) {
            throw new IllegalArgumentException(
                    "There is no shard '" + shard + "': the shards are " + locations.keySet());
        }
        return location;
    }

    /** The shards with their locations, without passwords. */
    @Override
    public String toString() {
        return locations.entrySet().stream()
                .map(each -> "'" + each.getKey() + "' at " + each.getValue().address() + " under the prefix '"
                        + each.getValue().connections().keys().prefix() + "'")
                .collect(Collectors.joining(", "));
    }

    @Override
    public void start() {
        clients.forEach(Client::start);
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        clients.forEach(Client::stop);
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** That of every connection factory. */
    @Override
    public int getPhase() {
        return 0;
    }

    @Override
    public void destroy() {
        clients.forEach(Client::destroy);
    }

    /** A client that is there while the context runs. */
    static Client running(JobsRedisClient client) {
        client.afterPropertiesSet();
        return new Client() {
            @Override
            public AbstractRedisClient get() {
                return client.client();
            }

            @Override
            public void start() {
                client.start();
            }

            @Override
            public void stop() {
                client.stop();
            }

            @Override
            public void destroy() {
                client.destroy();
            }
        };
    }

    /** A client that its first use creates. */
    static Client late(LateRedisClient client) {
        return new Client() {
            @Override
            public AbstractRedisClient get() {
                return client.client();
            }

            @Override
            public void start() {
                // its next use does
            }

            @Override
            public void stop() {
                client.stop();
            }

            @Override
            public void destroy() {
                client.destroy();
            }
        };
    }
}
