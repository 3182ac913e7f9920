package dev.jobs.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.TcpUserTimeoutOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.EpollProvider;
import io.lettuce.core.resource.IOUringProvider;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Opens connections to the one Redis that holds the jobs. Each has a name that {@code CLIENT LIST} shows and a duty of its own, so that a
 * slow script or a full buffer on one can't keep a beat from another.
 */
public final class RedisConnections {

    /** Commands that may wait for their answers on one connection; more are refused instead of filling the heap. */
    private static final int REQUEST_QUEUE = 10_000;

    private final Supplier<? extends AbstractRedisClient> client;
    private final RedisKeys keys;
    private final Duration timeout;
    private final LongSupplier nanoTime;

    /**
     * @param client asked again for each connection, since a restarted connection factory has another one; made with {@link #options} and
     *     {@link #resources}
     * @param keys the names of all keys
     * @param timeout how long a command may take
     */
    public RedisConnections(Supplier<? extends AbstractRedisClient> client, RedisKeys keys, Duration timeout) {
        this(client, keys, timeout, System::nanoTime);
    }

    private RedisConnections(
            Supplier<? extends AbstractRedisClient> client, RedisKeys keys, Duration timeout, LongSupplier nanoTime) {
        this.client = client;
        this.keys = keys;
        this.timeout = timeout;
        this.nanoTime = nanoTime;
    }

    /** The same with another clock, by which it is told how long a connection has been quiet. */
    RedisConnections withClock(LongSupplier clock) {
        return new RedisConnections(client, keys, timeout, clock);
    }

    public RedisKeys keys() {
        return keys;
    }

    /** How long a command may take. */
    public Duration timeout() {
        return timeout;
    }

    /** A connection that is opened at its first use. */
    public RedisConnection open(String name) {
        return open(name, timeout);
    }

    /** A connection with a timeout of its own, if that is shorter. */
    public RedisConnection open(String name, Duration atMost) {
        return new RedisConnection(name, client, timeout.compareTo(atMost) < 0 ? timeout : atMost, nanoTime);
    }

    /**
     * The given options, made safe: commands are refused while there is no connection instead of piling up, none waits for ever, and a dead
     * peer is noticed. Socket options that were chosen stay as they are. A lost connection is opened anew at its next use, not by the client:
     * one that the client opened again while it is closed for good would stay. To the nodes of a cluster only the client can go back.
     */
    public static ClientOptions options(ClientOptions base, Duration timeout) {
        return base.mutate()
                .autoReconnect(base instanceof ClusterClientOptions)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .protocolVersion(ProtocolVersion.RESP3)
                .requestQueueSize(REQUEST_QUEUE)
                .timeoutOptions(TimeoutOptions.enabled())
                .socketOptions(socketOptions(base.getSocketOptions(), timeout))
                .build();
    }

    /**
     * The given options with a shorter time to connect and, where the transport can do it, an end for what the other side doesn't confirm:
     * its end comes sooner than the system's, after a quarter of an hour. What was chosen stays; keep-alive is on by default.
     */
    private static SocketOptions socketOptions(SocketOptions base, Duration timeout) {
        Duration connect = base.getConnectTimeout();
        SocketOptions.Builder options =
                base.mutate().connectTimeout(connect.compareTo(timeout) < 0 ? connect : timeout);
        if (base.isEnableTcpUserTimeout()) {
            options.tcpUserTimeout(base.getTcpUserTimeout()); // a copy doesn't have it
        } else if (EpollProvider.isAvailable() || IOUringProvider.isAvailable()) {
            options.tcpUserTimeout(TcpUserTimeoutOptions.builder()
                    .enable()
                    .tcpUserTimeout(timeout)
                    .build());
        }
        return options.build();
    }

    /** The given resources, with a reconnect that comes soon after a node is back, and without tracing of every command. */
    public static ClientResources resources(ClientResources base) {
        return base.mutate()
                .tracing(io.lettuce.core.tracing.Tracing.disabled())
                .reconnectDelay(
                        Delay.fullJitter(Duration.ofMillis(20), Duration.ofMillis(500), 20, TimeUnit.MILLISECONDS))
                .build();
    }
}
