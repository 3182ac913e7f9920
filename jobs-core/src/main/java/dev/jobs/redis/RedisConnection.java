package dev.jobs.redis;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One named connection. Opens at its first use, and again if it was lost, after a timeout, since it may be dead, and when the server
 * reports that it is a replica, so that the primary is looked up again. Thread-safe.
 *
 * <p>A NAT or a proxy may drop a quiet connection without notice. So a connection that carried nothing for eight seconds is pinged before
 * use, and replaced if no answer comes soon. {@link #keepAlive}, called every few seconds, avoids that ping.
 *
 * <p>Failures are thrown as {@link JobStoreException}. A command that failed or timed out may have been executed, or may still be.
 */
public final class RedisConnection implements AutoCloseable {

    private static final long FIRST_PAUSE_MILLIS = 10;
    private static final long LONGEST_PAUSE_MILLIS = 200;
    private static final long CLOSE_MILLIS = 1_000;
    /** Time for an attempt to connect to end after the connection was closed. */
    private static final long LAST_ATTEMPT_MILLIS = 250;
    /** A server that doesn't answer at once isn't dead. */
    private static final long SHORTEST_WAIT_MILLIS = 100;

    private final String name;
    private final Supplier<? extends AbstractRedisClient> client;
    private final Duration timeout;
    private final ConnectionLiveness liveness;

    /** Guards opening and closing; never held while a command runs. */
    private final Object lock = new Object();

    private volatile @Nullable StatefulConnection<byte[], byte[]> open;

    /** Whether the server knows our name. Each connection has to set it anew, and a server busy with a script doesn't process it. */
    private volatile boolean named = true;

    /** The result of the attempt to connect, for all callers; null if there is no attempt. */
    private @Nullable CompletableFuture<StatefulConnection<byte[], byte[]>> opening;

    /** The thread that connects. Guarded by the lock, like its interruption, so that no other work of the thread is interrupted. */
    private @Nullable Thread connecting;

    private boolean gaveUp;

    private volatile boolean closed;

    /** @param nanoTime measures how long the connection has been quiet */
    RedisConnection(
            String name, Supplier<? extends AbstractRedisClient> client, Duration timeout, LongSupplier nanoTime) {
        this.name = name;
        this.client = client;
        this.timeout = timeout;
        this.liveness = new ConnectionLiveness(nanoTime, timeout);
    }

    /** Runs a script and waits for its answer. */
    List<Object> call(LuaScript script, byte[][] keys, byte[][] arguments) {
        return run(commands -> eval(commands, script, ScriptOutputType.MULTI, keys, arguments));
    }

    /**
     * Runs a script that answers with one number or text, without waiting: fails at once if there is no connection, or if it is quiet or
     * has no name yet.
     */
    <T extends @Nullable Object> CompletionStage<T> callForOneAsync(
            LuaScript script, ScriptOutputType type, byte[][] keys, byte[][] arguments) {
        return runAsync(commands -> eval(commands, script, type, keys, arguments));
    }

    /** Runs commands without waiting: fails at once if there is no connection, or if it is quiet or has no name yet. */
    <T extends @Nullable Object> CompletionStage<T> runAsync(
            Function<RedisClusterAsyncCommands<byte[], byte[]>, ? extends CompletionStage<T>> command) {
        StatefulConnection<byte[], byte[]> current = open;
        if (current == null || !isReady()) {
            return CompletableFuture.failedStage(
                    new JobStoreException(Kind.UNREACHABLE, "There is no connection '" + name + "' yet", null));
        }
        liveness.used();
        try {
            return command.apply(commands(current));
        } catch (RedisException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    Duration timeout() {
        return timeout;
    }

    /** Waits for the answer of such a call. */
    <T extends @Nullable Object> T await(CompletionStage<T> called, Duration atMost) {
        return await(open, called, atMost.toMillis());
    }

    private <T extends @Nullable Object> T await(
            @Nullable StatefulConnection<byte[], byte[]> connection, CompletionStage<T> called, long millis) {
        try {
            return called.toCompletableFuture().get(millis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw failed(connection, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobStoreException(Kind.TIMEOUT, "Interrupted while Redis was asked", e);
        } catch (ExecutionException | CancellationException e) {
            throw failed(connection, cause(e));
        }
    }

    /** Translates a failure, and drops a connection that may be dead or leads to a replica. */
    private JobStoreException failed(@Nullable StatefulConnection<byte[], byte[]> connection, Throwable failure) {
        JobStoreException translated = failure instanceof TimeoutException
                ? new JobStoreException(
                        Kind.TIMEOUT, "Redis did not answer within " + timeout.toMillis() + " ms", failure)
                : RedisErrors.translate(failure, timeout);
        boolean useless = translated.kind() == Kind.READ_ONLY || translated.kind() == Kind.TIMEOUT;
        if (useless && connection != null) {
            drop(connection);
        }
        return translated;
    }

    /** Runs a script that answers with one number or text. */
    <T extends @Nullable Object> T callForOne(
            LuaScript script, ScriptOutputType type, byte[][] keys, byte[][] arguments) {
        return run(commands -> eval(commands, script, type, keys, arguments));
    }

    /**
     * Runs a repeatable script, repeating it while Redis can't be reached, until the time is over. Takes longer only if a connection has
     * to be opened and the server doesn't answer.
     *
     * @param uncertain set when an attempt failed in a way that leaves open whether the script ran
     */
    <T extends @Nullable Object> T callPersistently(
            LuaScript script,
            ScriptOutputType type,
            byte[][] keys,
            byte[][] arguments,
            Duration atMost,
            AtomicBoolean uncertain) {
        long deadline = System.nanoTime() + atMost.toNanos();
        long pause = FIRST_PAUSE_MILLIS;
        while (true) {
            long left = Math.max(
                    Math.min(SHORTEST_WAIT_MILLIS, timeout.toMillis()),
                    TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
            try {
                return run(commands -> eval(commands, script, type, keys, arguments), left);
            } catch (JobStoreException e) {
                if (RedisErrors.mayHaveRun(e)) {
                    uncertain.set(true);
                }
                if (!RedisErrors.isWorthRepeating(e)
                        || closed
                        || System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pause) > deadline) {
                    throw e;
                }
            }
            try {
                TimeUnit.MILLISECONDS.sleep(pause);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new JobStoreException(Kind.UNREACHABLE, "Interrupted while waiting for Redis", e);
            }
            pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
        }
    }

    static <T extends @Nullable Object> CompletionStage<T> eval(
            RedisClusterAsyncCommands<byte[], byte[]> commands,
            LuaScript script,
            ScriptOutputType type,
            byte[][] keys,
            byte[][] arguments) {
        CompletionStage<T> first = commands.evalsha(script.digest(), type, keys, arguments);
        return first.handle((answer, failure) -> {
                    if (failure != null && cause(failure) instanceof RedisNoScriptException) {
                        return commands.<T>eval(script.source(), type, keys, arguments);
                    }
                    return failure == null
                            ? CompletableFuture.completedFuture(answer)
                            : CompletableFuture.<T>failedFuture(failure);
                })
                .thenCompose(Function.identity());
    }

    /** Runs a command and waits for its answer. */
    <T extends @Nullable Object> T run(
            Function<RedisClusterAsyncCommands<byte[], byte[]>, ? extends CompletionStage<T>> command) {
        return run(command, timeout.toMillis());
    }

    private <T extends @Nullable Object> T run(
            Function<RedisClusterAsyncCommands<byte[], byte[]>, ? extends CompletionStage<T>> command, long millis) {
        try {
            return once(command, millis);
        } catch (JobStoreException e) {
            if (e.kind() != Kind.READ_ONLY) {
                throw e;
            }
            // A failover: the replica executed nothing, and a new connection finds the new primary.
            return once(command, millis);
        }
    }

    private <T extends @Nullable Object> T once(
            Function<RedisClusterAsyncCommands<byte[], byte[]>, ? extends CompletionStage<T>> command, long millis) {
        StatefulConnection<byte[], byte[]> connection = connection();
        if (liveness.isDoubtful(connection) && !liveness.isProven(connection)) {
            drop(connection);
            connection = connection();
        }
        liveness.used();
        if (!named) {
            tellName(connection);
        }
        CompletionStage<T> called;
        try {
            called = command.apply(commands(connection));
        } catch (RedisException e) {
            throw failed(connection, e);
        }
        return await(connection, called, millis);
    }

    /**
     * Sends a ping if nothing was sent for two seconds, without waiting for the answer. If none comes within the timeout, the connection is
     * closed, and its next use opens another.
     */
    public void keepAlive() {
        StatefulConnection<byte[], byte[]> current = open;
        if (current != null && isUsable(current)) {
            liveness.keep(current, () -> drop(current));
        }
    }

    private static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        boolean wrapper = failure instanceof CompletionException || failure instanceof ExecutionException;
        return wrapper && cause != null ? cause(cause) : failure;
    }

    /** The server's answer to {@code INFO}, as text. */
    public String serverInfo() {
        return run(commands -> commands.info());
    }

    /** The connection, opened if necessary. */
    StatefulConnection<byte[], byte[]> connection() {
        StatefulConnection<byte[], byte[]> current = open;
        if (current != null && isUsable(current)) {
            return current;
        }
        CompletableFuture<StatefulConnection<byte[], byte[]>> attempt;
        boolean mine;
        synchronized (lock) {
            if (closed) {
                throw wasClosed();
            }
            current = open;
            if (current != null && isUsable(current)) {
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
            liveness.used();
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
            throw new JobStoreException(
                    Kind.UNREACHABLE,
                    "Redis can't be reached: no connection within " + timeout.toMillis() + " ms",
                    null);
        } catch (ExecutionException e) {
            JobStoreException failure = RedisErrors.translate(cause(e), timeout);
            throw new JobStoreException(failure.kind(), String.valueOf(failure.getMessage()), failure.getCause());
        }
    }

    private JobStoreException wasClosed() {
        return new JobStoreException(Kind.UNREACHABLE, "The connection '" + name + "' was closed", null);
    }

    /** Whether it is neither lost nor closed with its client, as when the application pauses. Connections to cluster nodes come back. */
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
                tellName(connection);
            }
            connection.setTimeout(timeout);
            return connection;
        } catch (RuntimeException e) {
            throw RedisErrors.translate(cause(e), timeout);
        }
    }

    private void tellName(StatefulConnection<byte[], byte[]> connection) {
        if (connection instanceof StatefulRedisConnection<byte[], byte[]> single) {
            named = false;
            single.async().clientSetname(Bytes.of(name)).thenRun(() -> named = true);
        }
    }

    static RedisClusterAsyncCommands<byte[], byte[]> commands(StatefulConnection<byte[], byte[]> connection) {
        return connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster
                ? cluster.async()
                : ((StatefulRedisConnection<byte[], byte[]>) connection).async();
    }

    /** Whether a command can be sent without waiting. */
    boolean isReady() {
        StatefulConnection<byte[], byte[]> current = open;
        return current != null && isUsable(current) && named && !liveness.isDoubtful(current);
    }

    /** Closes the current connection, so that the next command opens another. */
    void drop() {
        StatefulConnection<byte[], byte[]> current = open;
        if (current != null) {
            drop(current);
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

    /** A client that is shut down while it connects never completes the attempt, so the waiting thread would wait forever. */
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

    @Override
    public String toString() {
        return name;
    }
}
