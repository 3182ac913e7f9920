package dev.jobs.redis;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One named connection. Opens at its first use, and again if it was lost, after a timeout, since it may be dead, and
 * when the server reports that it is a replica or doesn't have the jobs, so that the primary is looked up again.
 * Thread-safe.
 *
 * <p>A NAT or a proxy may drop a quiet connection without notice. So a connection that carried nothing for eight
 * seconds is pinged before use, and replaced if no answer comes soon. {@link #keepAlive}, called every few seconds,
 * avoids that ping.
 *
 * <p>Failures are thrown as {@link JobStoreException}. A command that failed or timed out may have been executed, or
 * may still be.
 */
@Internal
public final class RedisConnection implements AutoCloseable {

    private final String name;
    private final Duration timeout;
    private final CallBounds bounds;
    private final ConnectionLiveness liveness;
    private final CurrentConnection current;

    /**
     * @param opener opens connections to the node that has the jobs
     * @param server described in the messages of failed attempts to connect
     * @param nanoTime measures how long the connection has been quiet
     * @param bounds how much its callers send and read with one call
     */
    RedisConnection(
            String name,
            CurrentConnection.Opener opener,
            RedisServer server,
            Duration timeout,
            LongSupplier nanoTime,
            CallBounds bounds) {
        this.name = name;
        this.timeout = timeout;
        this.bounds = bounds;
        this.liveness = new ConnectionLiveness(nanoTime, timeout);
        this.current = new CurrentConnection(name, opener, server, timeout, liveness::used);
    }

    /** Runs a script and waits for its answer. */
    public List<Object> call(LuaScript script, byte[][] keys, byte[][] arguments) {
        return run(commands -> eval(commands, script, ScriptOutputType.MULTI, keys, arguments));
    }

    /** Runs a script without waiting: fails at once if there is no connection, or if it is quiet or has no name yet. */
    public CompletionStage<List<Object>> callAsync(LuaScript script, byte[][] keys, byte[][] arguments) {
        return runAsync(commands -> eval(commands, script, ScriptOutputType.MULTI, keys, arguments));
    }

    /** Runs commands without waiting: fails at once if there is no connection, or if it is quiet or has no name yet. */
    public <T extends @Nullable Object> CompletionStage<T> runAsync(
            Function<RedisClusterAsyncCommands<byte[], byte[]>, ? extends CompletionStage<T>> command) {
        StatefulRedisConnection<byte[], byte[]> connection = current.usable();
        if (connection == null || !isProven()) {
            return CompletableFuture.failedStage(
                    new JobStoreException(Kind.UNREACHABLE, "There is no connection '" + name + "' yet", null));
        }
        liveness.used();
        try {
            return send(connection, command);
        } catch (RedisException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    /**
     * Sends a command. A connection that rejects it at once is lost, whatever it says of itself: Lettuce keeps one open
     * that was closed before its handshake ended.
     */
    private <T extends @Nullable Object> CompletionStage<T> send(
            StatefulRedisConnection<byte[], byte[]> connection,
            Function<RedisClusterAsyncCommands<byte[], byte[]>, ? extends CompletionStage<T>> command) {
        CompletionStage<T> called = command.apply(commands(connection));
        if (called.toCompletableFuture().isCompletedExceptionally()) {
            called.whenComplete((answer, failure) -> {
                if (RedisErrors.isRejected(RedisErrors.cause(failure))) {
                    current.drop(connection);
                }
            });
        }
        return called;
    }

    public Duration timeout() {
        return timeout;
    }

    /** How much one call may carry: it is for the callers to keep to it. */
    public CallBounds bounds() {
        return bounds;
    }

    /** Waits for the answer of such a call. */
    public <T extends @Nullable Object> T await(CompletionStage<T> called, Duration atMost) {
        return await(current.known(), called, atMost.toMillis());
    }

    private <T extends @Nullable Object> T await(
            @Nullable StatefulRedisConnection<byte[], byte[]> connection, CompletionStage<T> called, long millis) {
        try {
            return called.toCompletableFuture().get(millis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw failed(connection, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobStoreException(Kind.TIMEOUT, "Interrupted while Redis was asked", e);
        } catch (ExecutionException | CancellationException e) {
            throw failed(connection, RedisErrors.cause(e));
        }
    }

    /** Translates a failure, and replaces a connection that may be dead or leads to a node without the jobs. */
    private JobStoreException failed(@Nullable StatefulRedisConnection<byte[], byte[]> connection, Throwable failure) {
        JobStoreException translated = failure instanceof TimeoutException
                ? new JobStoreException(
                        Kind.TIMEOUT, "Redis did not answer within " + timeout.toMillis() + " ms", failure)
                : RedisErrors.translate(failure, timeout);
        if (connection != null && RedisErrors.isBetterElsewhere(translated)) {
            if (translated.kind() == Kind.TIMEOUT) {
                current.drop(connection);
            } else {
                current.retire(connection);
            }
        }
        return translated;
    }

    /** Runs a script that answers with one number or text. */
    public <T extends @Nullable Object> T callForOne(
            LuaScript script, ScriptOutputType type, byte[][] keys, byte[][] arguments) {
        return run(commands -> eval(commands, script, type, keys, arguments));
    }

    public static <T extends @Nullable Object> CompletionStage<T> eval(
            RedisClusterAsyncCommands<byte[], byte[]> commands,
            LuaScript script,
            ScriptOutputType type,
            byte[][] keys,
            byte[][] arguments) {
        CompletionStage<T> first = commands.evalsha(script.digest(), type, keys, arguments);
        return first.exceptionallyCompose(failure -> RedisErrors.cause(failure) instanceof RedisNoScriptException
                ? commands.eval(script.source(), type, keys, arguments)
                : CompletableFuture.failedStage(failure));
    }

    /** Runs a command and waits for its answer. */
    public <T extends @Nullable Object> T run(
            Function<RedisClusterAsyncCommands<byte[], byte[]>, ? extends CompletionStage<T>> command) {
        return run(command, timeout.toMillis());
    }

    /** The same, waiting so long at most. */
    <T extends @Nullable Object> T run(
            Function<RedisClusterAsyncCommands<byte[], byte[]>, ? extends CompletionStage<T>> command, long millis) {
        try {
            return once(command, millis);
        } catch (JobStoreException e) {
            if (e.kind() != Kind.READ_ONLY) {
                throw e;
            }
            // A failover, or the hash slot moved: the node executed nothing, and a new connection finds the right one.
            return once(command, millis);
        }
    }

    private <T extends @Nullable Object> T once(
            Function<RedisClusterAsyncCommands<byte[], byte[]>, ? extends CompletionStage<T>> command, long millis) {
        StatefulRedisConnection<byte[], byte[]> connection = current.get();
        if (liveness.isDoubtful() && !liveness.isProven(connection)) {
            current.drop(connection);
            connection = current.get();
        }
        liveness.used();
        if (!current.isNamed()) {
            current.sendName(connection);
        }
        CompletionStage<T> called;
        try {
            called = send(connection, command);
        } catch (RedisException e) {
            throw failed(connection, e);
        }
        return await(connection, called, millis);
    }

    /**
     * Sends a ping if nothing was sent for two seconds, without waiting for the answer. If none comes within the
     * timeout, the connection is closed, and its next use opens another.
     */
    public void keepAlive() {
        StatefulRedisConnection<byte[], byte[]> connection = current.usable();
        if (connection != null) {
            liveness.keep(connection, () -> current.drop(connection));
        }
    }

    /** The server's answer to {@code INFO}, as text. */
    public String serverInfo() {
        return run(commands -> commands.info());
    }

    static RedisClusterAsyncCommands<byte[], byte[]> commands(StatefulRedisConnection<byte[], byte[]> connection) {
        return connection.async();
    }

    boolean isClosed() {
        return current.isClosed();
    }

    /** Whether there is an open connection. */
    public boolean isOpen() {
        return current.usable() != null;
    }

    /** Whether a command can be sent without waiting. */
    public boolean isReady() {
        return current.usable() != null && isProven();
    }

    private boolean isProven() {
        return current.isNamed() && !liveness.isDoubtful();
    }

    /** The connection, opened if necessary. */
    public StatefulRedisConnection<byte[], byte[]> connection() {
        return current.get();
    }

    /** Closes the current connection, so that the next command opens another. */
    public void drop() {
        StatefulRedisConnection<byte[], byte[]> connection = current.known();
        if (connection != null) {
            current.drop(connection);
        }
    }

    /** Closes this connection, if it is still the current one, so that the next command opens another. */
    public void drop(StatefulRedisConnection<byte[], byte[]> broken) {
        current.drop(broken);
    }

    @Override
    public void close() {
        current.close();
    }

    @Override
    public String toString() {
        return name;
    }
}
