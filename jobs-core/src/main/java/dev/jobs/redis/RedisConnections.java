package dev.jobs.redis;

import dev.jobs.Internal;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.SocketOptions.TcpUserTimeoutOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.EpollProvider;
import io.lettuce.core.resource.IOUringProvider;
import io.netty.util.Timeout;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Opens connections to the one Redis that holds the jobs. Each has a name, which {@code CLIENT LIST} shows, and one
 * purpose, so that a slow script or a full buffer on one connection can't delay a beat on another.
 */
@Internal
public final class RedisConnections {

    /**
     * Maximum number of commands waiting for answers on one connection; more are refused instead of filling the heap.
     */
    private static final int REQUEST_QUEUE = 10_000;

    private final Supplier<? extends AbstractRedisClient> client;
    private final RedisKeys keys;
    private final Duration timeout;
    private final RedisServer server;
    private final LongSupplier nanoTime;
    private final CallBounds bounds;
    private final ClusterNodes nodes;

    /**
     * @param client called for each connection, since a restarted connection factory has another client; the client
     *     must be created with {@link #options} and {@link #resources}
     * @param keys the names of all keys
     * @param timeout the command timeout
     */
    public RedisConnections(Supplier<? extends AbstractRedisClient> client, RedisKeys keys, Duration timeout) {
        this(client, keys, timeout, RedisServer.UNKNOWN);
    }

    /**
     * @param client called for each connection, since a restarted connection factory has another client; the client
     *     must be created with {@link #options} and {@link #resources}
     * @param keys the names of all keys
     * @param timeout the command timeout
     * @param server described in the messages of failed attempts to connect
     */
    public RedisConnections(
            Supplier<? extends AbstractRedisClient> client, RedisKeys keys, Duration timeout, RedisServer server) {
        this(client, keys, timeout, server, System::nanoTime, CallBounds.STANDARD);
    }

    private RedisConnections(
            Supplier<? extends AbstractRedisClient> client,
            RedisKeys keys,
            Duration timeout,
            RedisServer server,
            LongSupplier nanoTime,
            CallBounds bounds) {
        this.client = client;
        this.keys = keys;
        this.timeout = timeout;
        this.server = server;
        this.nanoTime = nanoTime;
        this.bounds = bounds;
        this.nodes = new ClusterNodes(keys.beats());
    }

    /** The same with another clock, which measures how long a connection has been quiet. */
    RedisConnections withClock(LongSupplier clock) {
        return new RedisConnections(client, keys, timeout, server, clock, bounds);
    }

    /** The same with other bounds of a call. */
    public RedisConnections withBounds(CallBounds other) {
        return new RedisConnections(client, keys, timeout, server, nanoTime, other);
    }

    public RedisKeys keys() {
        return keys;
    }

    /** The command timeout. */
    public Duration timeout() {
        return timeout;
    }

    /** Returns a connection that opens at its first use. */
    public RedisConnection open(String name) {
        return open(name, timeout);
    }

    /** The same with another timeout, if that is shorter. */
    public RedisConnection open(String name, Duration atMost) {
        Duration each = timeout.compareTo(atMost) < 0 ? timeout : atMost;
        return new RedisConnection(name, opener(each), server, each, nanoTime, bounds);
    }

    private AbstractRedisClient client() {
        try {
            return client.get();
        } catch (IllegalStateException e) { // it is stopped, or not started yet
            throw new NoClientException(String.valueOf(e.getMessage()));
        }
    }

    private CurrentConnection.Opener opener(Duration atMost) {
        return new CurrentConnection.Opener() {
            @Override
            public StatefulRedisConnection<byte[], byte[]> open() {
                AbstractRedisClient each = client();
                return each instanceof RedisClusterClient cluster
                        ? nodes.connect(cluster, atMost)
                        : ((RedisClient) each).connect(ByteArrayCodec.INSTANCE);
            }

            @Override
            public CompletableFuture<Void> close(StatefulRedisConnection<byte[], byte[]> connection) {
                return nodes.close(connection);
            }

            @Override
            public Runnable later(Duration delay, Runnable task) {
                try {
                    Timeout timer = client().getResources()
                            .timer()
                            .newTimeout(due -> task.run(), delay.toNanos(), TimeUnit.NANOSECONDS);
                    return timer::cancel;
                } catch (IllegalStateException e) { // the client is shut down
                    throw new NoClientException(String.valueOf(e.getMessage()));
                }
            }
        };
    }

    /**
     * Makes the given options safe: commands are refused while there is no connection instead of accumulating, no
     * command waits forever, and a dead peer is noticed. Chosen socket options stay. A lost connection is reopened at
     * its next use, not by the client: a connection that the client reopened while it is being closed for good would
     * stay open.
     */
    public static ClientOptions options(ClientOptions base, Duration timeout) {
        return base.mutate()
                .autoReconnect(false)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .protocolVersion(ProtocolVersion.RESP3)
                .requestQueueSize(REQUEST_QUEUE)
                .timeoutOptions(TimeoutOptions.enabled())
                .socketOptions(socketOptions(base.getSocketOptions(), timeout))
                .build();
    }

    /**
     * The given options with a shorter connect timeout and, if the transport supports it, a limit for data that the
     * other side doesn't acknowledge: the system's limit is about a quarter of an hour. Chosen values stay; keep-alive
     * is on by default, as in Lettuce 7 where it is older.
     */
    private static SocketOptions socketOptions(SocketOptions base, Duration timeout) {
        Duration connect = base.getConnectTimeout();
        SocketOptions.Builder options =
                base.mutate().connectTimeout(connect.compareTo(timeout) < 0 ? connect : timeout);
        if (base.isEnableTcpUserTimeout()) {
            options.tcpUserTimeout(base.getTcpUserTimeout()); // a copy of the options lacks it
        } else if (EpollProvider.isAvailable() || IOUringProvider.isAvailable()) {
            options.tcpUserTimeout(TcpUserTimeoutOptions.builder()
                    .enable()
                    .tcpUserTimeout(timeout)
                    .build());
        }
        if (!base.isKeepAlive() && !SocketOptions.create().isKeepAlive()) {
            options.keepAlive(KeepAliveOptions.builder()
                    .enable()
                    .idle(Duration.ofSeconds(13))
                    .interval(Duration.ofSeconds(13))
                    .count(3)
                    .build());
        }
        return options.build();
    }

    /** The given resources, with fast reconnects to a node that is back, and without tracing of each command. */
    public static ClientResources resources(ClientResources base) {
        return base.mutate()
                .tracing(io.lettuce.core.tracing.Tracing.disabled())
                .reconnectDelay(
                        Delay.fullJitter(Duration.ofMillis(20), Duration.ofMillis(500), 20, TimeUnit.MILLISECONDS))
                .build();
    }
}
