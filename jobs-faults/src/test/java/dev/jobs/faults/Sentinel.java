package dev.jobs.faults;

import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.sentinel.api.sync.RedisSentinelCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A Redis Sentinel that monitors one primary and its replica, with a quorum of one. */
final class Sentinel implements AutoCloseable {

    static final String NAME = "mymaster";

    /** Ends the server when its input ends, thus also when this JVM is gone. */
    private static final String UNTIL_TOLD_NOTHING_MORE = "\"$@\" & pid=$!; cat >/dev/null; kill -9 $pid; wait";

    private final int port = freePort();
    private final Process process;
    private final RedisClient client;
    private final RedisSentinelCommands<String, String> commands;

    /** @param directory for its configuration, which it rewrites */
    Sentinel(Path directory, RedisServer primary) {
        try {
            Path config =
                    Files.writeString(directory.resolve("sentinel.conf"), """
                    port %d
                    bind 127.0.0.1
                    sentinel monitor %s 127.0.0.1 %d 1
                    sentinel down-after-milliseconds %2$s 60000
                    sentinel failover-timeout %2$s 3000
                    """.formatted(port, NAME, primary.port()));
            process = new ProcessBuilder(
                            "sh",
                            "-c",
                            UNTIL_TOLD_NOTHING_MORE,
                            "sentinel",
                            program(primary),
                            config.toString(),
                            "--sentinel")
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("sentinel.log").toFile())
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        client = RedisClient.create(RedisURI.create(uri()));
        commands =
                await().ignoreExceptions().until(() -> client.connectSentinel().sync(), each -> true);
    }

    /**
     * The program of a running server, by the name under which it was started: Debian's is a link, and its target acts
     * according to the link's name.
     */
    private static String program(RedisServer server) throws IOException {
        String title = Files.readString(Path.of("/proc", Long.toString(server.pid()), "cmdline"));
        return title.replaceFirst("[\\x00 ]+\\S*:\\d+.*", "");
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The address at which clients ask for the primary. */
    String uri() {
        return "redis-sentinel://127.0.0.1:" + port + "/0#" + NAME;
    }

    /** The port of the primary according to Sentinel. */
    private int primary() {
        return ((InetSocketAddress) commands.getMasterAddrByName(NAME)).getPort();
    }

    /** Makes the replica the primary, as soon as Sentinel considers it a good one, and returns when it is. */
    void failOver() {
        int before = primary();
        await("a failover to begin").ignoreExceptions().until(() -> commands.failover(NAME)
                .equals("OK"));
        awaitFailoverFrom(before);
    }

    /**
     * Lets Sentinel detect that the primary is dead, and returns when there is another. At all other times a living
     * primary is kept, however slow it is.
     */
    void noticeDeath() {
        int before = primary();
        commands.set(NAME, "down-after-milliseconds", "1000");
        awaitFailoverFrom(before);
        commands.set(NAME, "down-after-milliseconds", "60000");
    }

    private void awaitFailoverFrom(int port) {
        await("another primary").pollInterval(Duration.ofMillis(20)).until(() -> primary() != port);
    }

    void awaitReplica(RedisServer replica) {
        await("a replica that it can choose")
                .until(() -> commands.replicas(NAME).stream().anyMatch(known -> isGood(replica, known)));
    }

    private static boolean isGood(RedisServer replica, Map<String, String> known) {
        return known.get("port").equals(Integer.toString(replica.port()))
                && known.get("flags").equals("slave")
                && known.get("master-link-status").equals("ok");
    }

    @Override
    public void close() {
        client.shutdown(0, 2, TimeUnit.SECONDS);
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        process.onExit().join();
    }
}
