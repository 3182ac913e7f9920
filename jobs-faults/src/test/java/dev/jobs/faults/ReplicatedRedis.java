package dev.jobs.faults;

import static org.awaitility.Awaitility.await;

import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** A primary with one replica, and a Sentinel from which all clients learn the primary. */
final class ReplicatedRedis implements AutoCloseable {

    /** The connections of workers and of the library's client. */
    private static final String OF_THE_LIBRARY = ".* name=jobs-(work|chores|beat|doorbell|standing|client) .*";

    private final RedisClient client = RedisClient.create();
    private final List<RedisServer> servers = new ArrayList<>();
    private final Sentinel sentinel;
    private RedisServer primary;
    private RedisServer replica;

    ReplicatedRedis() {
        primary = start();
        replica = startReplica(primary);
        sentinel = new Sentinel(Trial.directory("sentinel"), primary);
    }

    String uri() {
        return sentinel.uri();
    }

    /**
     * Makes the replica the primary and the primary a replica. Sentinel itself would do the latter about ten seconds
     * later, and then close all connections to it; here those of the library stay open, as with other orchestrators,
     * and notice the change when a command is refused.
     */
    void swap() {
        sentinel.awaitReplica(replica);
        sentinel.failOver();
        RedisServer old = primary;
        primary = replica;
        replica = old;
        ask(old, redis -> redis.replicaof("127.0.0.1", primary.port()));
        connections(old).stream().filter(line -> !line.matches(OF_THE_LIBRARY)).forEach(line -> hangUp(old, line));
        awaitLink(replica);
    }

    /** Kills the primary, and returns when there is a new one with a replica. */
    void killPrimary() {
        sentinel.awaitReplica(replica);
        primary.kill();
        sentinel.noticeDeath();
        primary = replica;
        replica = startReplica(primary);
    }

    /** The library's connections to the server that is now a replica. */
    List<String> connectionsToReplica() {
        return connections(replica);
    }

    private List<String> connections(RedisServer server) {
        return ask(server, RedisCommands::clientList).lines().toList();
    }

    private void hangUp(RedisServer server, String client) {
        long id = Long.parseLong(client.replaceAll("^id=(\\d+) .*", "$1"));
        ask(server, redis -> redis.clientKill(KillArgs.Builder.id(id)));
    }

    private RedisServer start(String... options) {
        List<String> all = new ArrayList<>(List.of("--repl-diskless-sync-delay", "0"));
        all.addAll(List.of(options));
        RedisServer server = new RedisServer(Trial.directory("redis"), all.toArray(String[]::new));
        servers.add(server);
        return server;
    }

    private RedisServer startReplica(RedisServer of) {
        RedisServer server = start("--replicaof", "127.0.0.1 " + of.port());
        awaitLink(server);
        return server;
    }

    private void awaitLink(RedisServer server) {
        await("a replica with all data")
                .until(() -> ask(server, redis -> redis.info("replication")).contains("master_link_status:up"));
    }

    private <T> T ask(RedisServer server, Function<RedisCommands<String, String>, T> question) {
        try (StatefulRedisConnection<String, String> connection = client.connect(RedisURI.create(server.uri()))) {
            return question.apply(connection.sync());
        }
    }

    @Override
    public void close() {
        sentinel.close();
        client.shutdown(0, 2, TimeUnit.SECONDS);
        servers.forEach(RedisServer::close);
    }
}
