package dev.jobs.redis;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The open connection of one name. The first caller that needs it opens it for all; the next use opens another after it
 * was lost or dropped. Thread-safe.
 */
final class CurrentConnection implements AutoCloseable {

    private static final long CLOSE_MILLIS = 1_000;
    /** Time for an attempt to connect to end after the connection was closed. */
    private static final long LAST_ATTEMPT_MILLIS = 250;

    private final String name;
    private final Supplier<? extends AbstractRedisClient> client;
    private final Duration timeout;
    private final ConnectErrors errors;
    private final Runnable opened;

    /** Guards opening and closing; never held while a command runs. */
    private final Object lock = new Object();

    private volatile @Nullable StatefulConnection<byte[], byte[]> open;

    /**
     * Whether the server knows our name. Each connection has to set it anew, and a server busy with a script doesn't
     * process it.
     */
    private volatile boolean named = true;

    /** The result of the attempt to connect, for all callers; null if there is no attempt. */
    private @Nullable CompletableFuture<StatefulConnection<byte[], byte[]>> opening;

    /**
     * The thread that connects. Guarded by the lock, like its interruption, so that no other work of the thread is
     * interrupted.
     */
    private @Nullable Thread connecting;

    private boolean gaveUp;

    private volatile boolean closed;

    /**
     * @param server described in the messages of failed attempts
     * @param opened called after each opening, before the connection is used
     */
    CurrentConnection(
            String name,
            Supplier<? extends AbstractRedisClient> client,
            RedisServer server,
            Duration timeout,
            Runnable opened) {
        this.name = name;
        this.client = client;
        this.timeout = timeout;
        this.errors = new ConnectErrors(server, timeout);
        this.opened = opened;
    }

    /** The connection that was opened last, even if it is lost; null if there is none. */
    @Nullable StatefulConnection<byte[], byte[]> known() {
        return open;
    }

    /** The open connection; null if there is none, or it is lost. */
    @Nullable StatefulConnection<byte[], byte[]> usable() {
        StatefulConnection<byte[], byte[]> current = open;
        return current != null && isUsable(current) ? current : null;
    }

    /** Whether the server knows the connection's name. */
    boolean isNamed() {
        return named;
    }

    boolean isClosed() {
        return closed;
    }

    /** The connection, opened if necessary. */
    StatefulConnection<byte[], byte[]> get() {
        StatefulConnection<byte[], byte[]> current = usable();
        if (current != null) {
            return current;
        }
        CompletableFuture<StatefulConnection<byte[], byte[]>> attempt;
        boolean mine;
        synchronized (lock) {
            if (closed) {
                throw wasClosed();
            }
            current = usable();
            if (current != null) {
                return current;
            }
            mine = opening == null;
            if (opening == null) {
                opening = new CompletableFuture<>();
                connecting = Thread.currentThread();
            }
            attempt = opening;
        }
        return mine ? connect(attempt) : awaitOpening(attempt);
    }

    /** One caller connects for all; otherwise a hundred callers would wait for a hundred failures in a row. */
    private StatefulConnection<byte[], byte[]> connect(CompletableFuture<StatefulConnection<byte[], byte[]>> attempt) {
        JobStoreException failure = wasClosed();
        try {
            StatefulConnection<byte[], byte[]> connected = connect();
            StatefulConnection<byte[], byte[]> gone;
            opened.run();
            synchronized (lock) {
                gone = closed ? connected : open;
                open = closed ? null : connected;
            }
            if (gone != null && !isClosed(gone)) {
                gone.closeAsync(); // its client would keep it
            }
            if (gone != connected) {
                attempt.complete(connected);
                return connected;
            }
        } catch (JobStoreException e) {
            failure = e;
        } finally {
            synchronized (lock) {
                opening = null;
                connecting = null;
                if (gaveUp) {
                    Thread.interrupted(); // the interruption was meant for the attempt
                }
            }
            attempt.completeExceptionally(failure);
        }
        throw failure;
    }

    private StatefulConnection<byte[], byte[]> awaitOpening(
            CompletableFuture<StatefulConnection<byte[], byte[]>> attempt) {
        try {
            return attempt.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobStoreException(Kind.UNREACHABLE, "Interrupted while waiting for a connection to Redis", null);
        } catch (TimeoutException e) {
            throw errors.tooLong();
        } catch (ExecutionException e) {
            JobStoreException failure = errors.translate(RedisErrors.cause(e));
            throw new JobStoreException(failure.kind(), String.valueOf(failure.getMessage()), failure.getCause());
        }
    }

    private JobStoreException wasClosed() {
        return new JobStoreException(Kind.UNREACHABLE, "The connection '" + name + "' was closed", null);
    }

    /**
     * Whether it is neither lost nor closed with its client, as when the application pauses. Connections to cluster
     * nodes come back.
     */
    private static boolean isUsable(StatefulConnection<byte[], byte[]> connection) {
        return !isClosed(connection) && (connection instanceof StatefulRedisClusterConnection || connection.isOpen());
    }

    private static boolean isClosed(StatefulConnection<byte[], byte[]> connection) {
        return connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed();
    }

    private StatefulConnection<byte[], byte[]> connect() {
        try {
            StatefulConnection<byte[], byte[]> connection;
            AbstractRedisClient each = client.get();
            if (each instanceof RedisClusterClient cluster) {
                connection = cluster.connect(ByteArrayCodec.INSTANCE);
            } else {
                connection = ((RedisClient) each).connect(ByteArrayCodec.INSTANCE);
                sendName(connection);
            }
            connection.setTimeout(timeout);
            return connection;
        } catch (RuntimeException e) {
            throw errors.translate(RedisErrors.cause(e));
        }
    }

    /** Sends our name to the server, and doesn't wait for the answer. */
    void sendName(StatefulConnection<byte[], byte[]> connection) {
        if (connection instanceof StatefulRedisConnection<byte[], byte[]> single) {
            named = false;
            single.async().clientSetname(Bytes.of(name)).thenRun(() -> named = true);
        }
    }

    /** Closes this connection, if it is still the current one, so that the next command opens another. */
    void drop(StatefulConnection<byte[], byte[]> broken) {
        synchronized (lock) {
            if (open == broken) {
                open = null;
            }
        }
        broken.closeAsync();
    }

    @Override
    public void close() {
        StatefulConnection<byte[], byte[]> last;
        CompletableFuture<StatefulConnection<byte[], byte[]>> attempt;
        synchronized (lock) {
            closed = true;
            last = open;
            open = null;
            attempt = opening;
        }
        if (last != null && !isClosed(last)) {
            await(
                    last.closeAsync(),
                    CLOSE_MILLIS); // a client that shuts down in the meantime would close it again and log an error
        }
        if (attempt != null) {
            await(attempt, LAST_ATTEMPT_MILLIS);
            giveUpConnecting();
        }
    }

    /**
     * A client that is shut down while it connects never completes the attempt, so the waiting thread would wait
     * forever.
     */
    private void giveUpConnecting() {
        synchronized (lock) {
            if (connecting != null) {
                gaveUp = true;
                connecting.interrupt();
            }
        }
    }

    private static void await(CompletableFuture<?> end, long millis) {
        try {
            end.get(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // the connection is given up either way
        }
    }
}
