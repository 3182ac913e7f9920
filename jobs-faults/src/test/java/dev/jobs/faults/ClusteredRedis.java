package dev.jobs.faults;

import static org.awaitility.Awaitility.await;

import io.lettuce.core.MigrateArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * A Redis Cluster of three primaries, each with a replica. Its hash slot is the one in which all jobs are: it can be
 * moved, and its primary killed or frozen.
 */
final class ClusteredRedis implements AutoCloseable {

    private static final int PRIMARIES = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int KEYS_AT_ONCE = 100;

    private final RedisClient client = RedisClient.create();
    private final Duration nodeTimeout;
    private final Map<RedisServer, Integer> busPorts = new HashMap<>();
    private final List<RedisServer> servers = new ArrayList<>();
    private final List<RedisServer> away = new ArrayList<>();
    private final RedisAddress address;
    private final int hashSlot;

    /** @param nodeTimeout how long a node may be silent before the others take it for failed */
    ClusteredRedis(Duration nodeTimeout, String... options) {
        this.nodeTimeout = nodeTimeout;
        for (int i = 0; i < 2 * PRIMARIES; i++) {
            start(options);
        }
        address = RedisAddress.ofCluster(servers.stream().map(RedisServer::port).toList());
        hashSlot = SlotHash.getSlot(address.prefix());
        join();
    }

    private void start(String... options) {
        int busPort = freePort();
        List<String> all = new ArrayList<>(List.of("--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1"));
        all.addAll(List.of("--cluster-port", Integer.toString(busPort)));
        all.addAll(List.of("--cluster-node-timeout", Long.toString(nodeTimeout.toMillis())));
        all.addAll(List.of("--cluster-allow-replica-migration", "no", "--repl-diskless-sync-delay", "0"));
        all.addAll(List.of(options));
        RedisServer server = new RedisServer(Trial.directory("redis"), all.toArray(String[]::new));
        servers.add(server);
        busPorts.put(server, busPort);
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void join() {
        RedisServer first = servers.get(0);
        servers.forEach(server -> ask(first, redis -> meet(redis, server)));
        await("nodes that know each other")
                .until(() -> servers.stream().allMatch(server -> view(server).size() == servers.size()));
        for (int i = 0; i < PRIMARIES; i++) {
            int[] hashSlots = IntStream.range(
                            SlotHash.SLOT_COUNT * i / PRIMARIES, SlotHash.SLOT_COUNT * (i + 1) / PRIMARIES)
                    .toArray();
            ask(servers.get(i), redis -> redis.clusterAddSlots(hashSlots));
            String primary = id(servers.get(i));
            ask(servers.get(PRIMARIES + i), redis -> redis.clusterReplicate(primary));
        }
        awaitHealth();
    }

    /** Lettuce's own command has no port of the bus. */
    private String meet(RedisCommands<String, String> redis, RedisServer server) {
        return redis.dispatch(
                CommandType.CLUSTER,
                new StatusOutput<>(StringCodec.UTF8),
                new CommandArgs<>(StringCodec.UTF8)
                        .add("MEET")
                        .add("127.0.0.1")
                        .add(server.port())
                        .add(busPorts.get(server)));
    }

    /** Waits until all hash slots are served and each replica has all data. */
    private void awaitHealth() {
        await("a healthy cluster").ignoreExceptions().until(() -> servers.stream()
                .allMatch(this::isHealthy));
    }

    private boolean isHealthy(RedisServer server) {
        String replication = ask(server, redis -> redis.info("replication"));
        return ask(server, RedisCommands::clusterInfo).contains("cluster_state:ok")
                && (replication.contains("master_link_status:up") || replication.contains("state=online"))
                && view(server).stream().noneMatch(node -> node.is(RedisClusterNode.NodeFlag.FAIL));
    }

    String uri() {
        return address.uri();
    }

    String keyPrefix() {
        return address.prefix();
    }

    /** The address of the node that has the jobs now. */
    String primaryUri() {
        return primary().uri();
    }

    /** What the node that has the jobs says about itself. */
    String primaryInfo(String section) {
        return ask(primary(), redis -> redis.info(section));
    }

    /** Whether a command waits at the node that has the jobs. */
    boolean isAwaited() {
        return isAwaitedAt(primary());
    }

    private boolean isAwaitedAt(RedisServer server) {
        return !ask(server, redis -> redis.info("clients")).contains("blocked_clients:0\r\n");
    }

    /**
     * Moves the hash slot to another primary, as an administrator would.
     *
     * @param marked runs when the two nodes know of the move, and all keys are still in their place
     * @param halfMoved runs when one half of the keys is at either node
     */
    void moveHashSlot(Runnable marked, Runnable halfMoved) {
        RedisServer source = primary();
        RedisServer target = otherPrimary();
        String sourceId = id(source);
        String targetId = id(target);
        ask(target, redis -> redis.clusterSetSlotImporting(hashSlot, sourceId));
        ask(source, redis -> redis.clusterSetSlotMigrating(hashSlot, targetId));
        marked.run();
        moveKeys(source, target, ask(source, redis -> redis.clusterCountKeysInSlot(hashSlot)) / 2);
        halfMoved.run();
        while (ask(source, redis -> redis.clusterCountKeysInSlot(hashSlot)) > 0) {
            moveKeys(source, target, KEYS_AT_ONCE);
        }
        ask(target, redis -> redis.clusterSetSlotNode(hashSlot, targetId));
        ask(source, redis -> redis.clusterSetSlotNode(hashSlot, targetId));
        await("an end of waiting where the slot was").until(() -> !isAwaitedAt(source));
        awaitOwner(target);
    }

    private void moveKeys(RedisServer source, RedisServer target, long count) {
        List<String> keys = ask(source, redis -> redis.clusterGetKeysInSlot(hashSlot, (int) count));
        if (!keys.isEmpty()) {
            ask(
                    source,
                    redis -> redis.migrate(
                            "127.0.0.1",
                            target.port(),
                            0,
                            PATIENCE.toMillis(),
                            MigrateArgs.Builder.<String>keys(keys).replace()));
        }
    }

    /**
     * Kills the primary of the hash slot, and returns when its replica has taken over and it is back as a replica.
     *
     * @param without runs in between
     */
    void killPrimary(Runnable without) {
        RedisServer killed = primary();
        killed.kill();
        away.add(killed);
        awaitOwnerOtherThan(killed);
        without.run();
        killed.startAgain();
        away.remove(killed);
        awaitHealth();
    }

    /**
     * Freezes the primary of the hash slot until its replica has taken over, and returns when it follows the new one.
     *
     * @param without runs before it is thawed
     */
    void freezePrimary(Runnable without) {
        RedisServer frozen = primary();
        frozen.freeze();
        away.add(frozen);
        awaitOwnerOtherThan(frozen);
        without.run();
        frozen.thaw();
        away.remove(frozen);
        awaitHealth();
    }

    /** Kills a primary of other hash slots with its replica. Returns what brings them back. */
    Runnable loseOtherHashSlots() {
        RedisServer lost = otherPrimary();
        String id = id(lost);
        List<RedisServer> killed = servers.stream()
                .filter(server -> server == lost
                        || id.equals(
                                view(server).getPartitionByNodeId(id(server)).getSlaveOf()))
                .toList();
        List<String> ids = killed.stream().map(this::id).toList();
        killed.forEach(RedisServer::kill);
        away.addAll(killed);
        await("nodes that have failed").until(() -> view(primary()).stream()
                .filter(node -> node.is(RedisClusterNode.NodeFlag.FAIL))
                .map(RedisClusterNode::getNodeId)
                .toList()
                .containsAll(ids));
        return () -> {
            killed.forEach(RedisServer::startAgain);
            away.removeAll(killed);
            awaitHealth();
        };
    }

    /** The library's connections to nodes that don't have the jobs. */
    List<String> misplacedConnections() {
        RedisServer primary = primary();
        return servers.stream()
                .filter(server -> server != primary)
                .flatMap(server -> ask(server, RedisCommands::clientList).lines())
                .filter(line -> line.matches(".* name=jobs.*"))
                .toList();
    }

    /** The node that has the jobs. */
    private RedisServer primary() {
        RedisServer asked = servers.stream()
                .filter(server -> !away.contains(server))
                .findFirst()
                .orElseThrow();
        return withPort(view(asked).getMasterBySlot(hashSlot).getUri().getPort());
    }

    private RedisServer otherPrimary() {
        RedisServer primary = primary();
        return servers.stream()
                .filter(server -> server != primary)
                .filter(server ->
                        view(primary).getPartitionByNodeId(id(server)).getRole().isUpstream())
                .findFirst()
                .orElseThrow();
    }

    private RedisServer withPort(int port) {
        return servers.stream()
                .filter(server -> server.port() == port)
                .findFirst()
                .orElseThrow();
    }

    private void awaitOwnerOtherThan(RedisServer before) {
        await("another primary").until(() -> primary() != before);
        awaitOwner(primary());
    }

    /** Waits until all nodes that are there agree. */
    private void awaitOwner(RedisServer owner) {
        await("nodes that agree").until(() -> servers.stream()
                .filter(server -> !away.contains(server))
                .allMatch(server ->
                        view(server).getMasterBySlot(hashSlot).getUri().getPort() == owner.port()));
    }

    private String id(RedisServer server) {
        return ask(server, RedisCommands::clusterMyId);
    }

    private Partitions view(RedisServer server) {
        String nodes = ask(server, RedisCommands::clusterNodes);
        return ClusterPartitionParser.parse(nodes);
    }

    private <T> T ask(RedisServer server, Function<RedisCommands<String, String>, T> question) {
        try (StatefulRedisConnection<String, String> connection = client.connect(RedisURI.create(server.uri()))) {
            return question.apply(connection.sync());
        }
    }

    @Override
    public void close() {
        client.shutdown(0, 2, TimeUnit.SECONDS);
        servers.forEach(RedisServer::close);
    }
}
