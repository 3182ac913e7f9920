package dev.jobs.redis;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Connects to the one node of a cluster that has the jobs: all keys of an installation have one hash slot. Such a
 * connection is like one to a single server: it has a name, keeps the order of its commands, tracks keys, and redirects
 * nothing. When the hash slot moves or the node fails, it is of no more use, and the next one leads to the node that
 * has the hash slot then. Thread-safe.
 *
 * <p>Each is a part of a connection to the whole cluster, which is otherwise not used: only Lettuce's client knows the
 * credentials and settings for a node.
 */
final class ClusterNodes {

    /**
     * All connections of a process look for the node at about the same time, and again and again while there is none.
     * Each look asks all nodes, and those that are gone are a line in Lettuce's log.
     */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A look waits a command timeout for nodes that don't answer. One that takes this long may never end. */
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final int hashSlot;
    private final Map<StatefulRedisConnection<byte[], byte[]>, StatefulRedisClusterConnection<byte[], byte[]>> wholes =
            new ConcurrentHashMap<>();

    private @Nullable Look look;

    /**
     * One question for the nodes of the cluster and their hash slots.
     *
     * @param begun when it was sent
     * @param done completed with the time at which it was answered
     */
    private record Look(RedisClusterClient client, long begun, CompletableFuture<Long> done) {

        static Look begin(RedisClusterClient client) {
            return new Look(
                    client,
                    System.nanoTime(),
                    client.refreshPartitionsAsync()
                            .thenApply(answered -> System.nanoTime())
                            .toCompletableFuture());
        }

        boolean isFreshFor(RedisClusterClient other) {
            if (client != other) {
                return false;
            }
            if (!done.isDone()) {
                return System.nanoTime() - begun < LONGEST_NANOS;
            }
            return !done.isCompletedExceptionally() && System.nanoTime() - done.join() < FRESH_NANOS;
        }
    }

    /** @param key of the installation */
    ClusterNodes(byte[] key) {
        this.hashSlot = SlotHash.getSlot(key);
    }

    /**
     * Opens a connection to the node that has the jobs now.
     *
     * @param timeout for the search
     * @throws JobStoreException if there is no such node, or none can be asked
     */
    StatefulRedisConnection<byte[], byte[]> connect(RedisClusterClient client, Duration timeout) {
        await(look(client), timeout);
        RedisClusterNode node = client.getPartitions().getMasterBySlot(hashSlot);
        if (node == null) {
            throw new JobStoreException(
                    Kind.BUSY,
                    "CLUSTERDOWN No node of the Redis Cluster has hash slot " + hashSlot + ", that of the jobs",
                    null);
        }
        RedisURI address = node.getUri();
        StatefulRedisClusterConnection<byte[], byte[]> whole = client.connect(ByteArrayCodec.INSTANCE);
        try {
            StatefulRedisConnection<byte[], byte[]> connection =
                    whole.getConnection(address.getHost(), address.getPort());
            wholes.put(connection, whole);
            return connection;
        } catch (RuntimeException e) {
            whole.closeAsync();
            throw e;
        }
    }

    /**
     * Closes a connection, which may be another than to a node of a cluster. Its client may have closed it before, as
     * that to a node that left the cluster; what it is a part of stays open then. May be repeated.
     */
    CompletableFuture<Void> close(StatefulRedisConnection<byte[], byte[]> connection) {
        StatefulRedisClusterConnection<byte[], byte[]> whole = wholes.remove(connection);
        StatefulConnection<byte[], byte[]> open = whole == null ? connection : whole;
        // Lettuce logs it if a connection is closed twice.
        return isClosed(open) ? CompletableFuture.completedFuture(null) : open.closeAsync();
    }

    /** Whether it was closed for good, here or by its client. */
    static boolean isClosed(StatefulConnection<byte[], byte[]> connection) {
        return connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed();
    }

    private synchronized Look look(RedisClusterClient client) {
        Look last = look;
        if (last == null || !last.isFreshFor(client)) {
            last = Look.begin(client);
            look = last;
        }
        return last;
    }

    private static void await(Look look, Duration timeout) {
        try {
            look.done().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobStoreException(Kind.UNREACHABLE, "Interrupted while a node of the cluster was looked for", e);
        } catch (TimeoutException e) {
            throw new JobStoreException(
                    Kind.UNREACHABLE,
                    "The Redis Cluster did not tell its nodes within " + timeout.toMillis() + " ms",
                    null);
        } catch (ExecutionException e) {
            throw new RedisConnectionException("No node of the Redis Cluster can be reached", reason(e.getCause()));
        }
    }

    /** Lettuce's own error lists all nodes; the reason that one of them gave explains more. */
    private static @Nullable Throwable reason(@Nullable Throwable failure) {
        return failure != null && failure.getSuppressed().length > 0 ? failure.getSuppressed()[0] : failure;
    }
}
