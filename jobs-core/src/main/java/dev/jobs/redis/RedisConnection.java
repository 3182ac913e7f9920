package dev.jobs.redis;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import io.lettuce.core.AbstractRedisClient;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One named connection, opened at its first use and opened anew when it turns out to be of no more use: after a timeout, since it may be
 * deaf, and when the server says that it is a replica, so that the primary is looked up again. Thread-safe.
 *
 * <p>What fails is thrown as {@link JobStoreException}. A command that failed or timed out may have been executed, or may be executed yet.
 */
public final class RedisConnection implements AutoCloseable {

    private static final long FIRST_PAUSE_MILLIS = 10;
    private static final long LONGEST_PAUSE_MILLIS = 200;

    private final String name;
    private final Supplier<? extends AbstractRedisClient> client;
    private final Duration timeout;

    /** Guards opening and closing; never held while a command runs. */
    private final Object lock = new Object();

    private volatile @Nullable StatefulConnection<byte[], byte[]> open;
    private boolean closed;

    RedisConnection(String name, Supplier<? extends AbstractRedisClient> client, Duration timeout) {
        this.name = name;
        this.client = client;
        this.timeout = timeout;
    }

    /** Runs a script and waits for its answer. */
    List<Object> call(LuaScript script, byte[][] keys, byte[][] arguments) {
        return run(commands -> eval(commands, script, ScriptOutputType.MULTI, keys, arguments));
    }

    /** Runs a script that answers with one number or text. */
    <T extends @Nullable Object> T callForOne(
            LuaScript script, ScriptOutputType type, byte[][] keys, byte[][] arguments) {
        return run(commands -> eval(commands, script, type, keys, arguments));
    }

    /**
     * Runs a script that may be repeated without harm, again and again while Redis can't be reached, until the command timeout is over.
     *
     * @param repeated set when there was more than one attempt
     */
    <T extends @Nullable Object> T callPersistently(
            LuaScript script, ScriptOutputType type, byte[][] keys, byte[][] arguments, AtomicBoolean repeated) {
        long deadline = System.nanoTime() + timeout.toNanos();
        long pause = FIRST_PAUSE_MILLIS;
        while (true) {
            try {
                return callForOne(script, type, keys, arguments);
            } catch (JobStoreException e) {
                repeated.set(true);
                boolean worthIt = e.kind() == Kind.UNREACHABLE || e.kind() == Kind.BUSY || e.kind() == Kind.READ_ONLY;
                if (!worthIt || System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pause) > deadline) {
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

    private static <T extends @Nullable Object> CompletionStage<T> eval(
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
        try {
            return once(command);
        } catch (JobStoreException e) {
            if (e.kind() != Kind.READ_ONLY) {
                throw e;
            }
            // A failover: the replica executed nothing, and a new connection finds the new primary.
            return once(command);
        }
    }

    private <T extends @Nullable Object> T once(
            Function<RedisClusterAsyncCommands<byte[], byte[]>, ? extends CompletionStage<T>> command) {
        StatefulConnection<byte[], byte[]> connection = connection();
        try {
            return command.apply(commands(connection)).toCompletableFuture().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            drop(connection);
            throw new JobStoreException(Kind.TIMEOUT, "Redis did not answer within " + timeout.toMillis() + " ms", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobStoreException(Kind.TIMEOUT, "Interrupted while Redis was asked", e);
        } catch (ExecutionException | RedisException e) {
            JobStoreException translated = RedisErrors.translate(cause(e), timeout);
            if (translated.kind() == Kind.READ_ONLY || translated.kind() == Kind.TIMEOUT) {
                drop(connection);
            }
            throw translated;
        }
    }

    private static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        boolean wrapper = failure instanceof CompletionException || failure instanceof ExecutionException;
        return wrapper && cause != null ? cause(cause) : failure;
    }

    /** The connection, opened if need be. */
    StatefulConnection<byte[], byte[]> connection() {
        StatefulConnection<byte[], byte[]> current = open;
        if (current != null) {
            return current;
        }
        synchronized (lock) {
            if (closed) {
                throw new JobStoreException(Kind.UNREACHABLE, "The connection '" + name + "' was closed", null);
            }
            current = open;
            if (current == null) {
                current = connect();
                open = current;
            }
            return current;
        }
    }

    private StatefulConnection<byte[], byte[]> connect() {
        try {
            StatefulConnection<byte[], byte[]> connection;
            AbstractRedisClient each = client.get();
            if (each instanceof RedisClusterClient cluster) {
                connection = cluster.connect(ByteArrayCodec.INSTANCE);
            } else {
                StatefulRedisConnection<byte[], byte[]> single = ((RedisClient) each).connect(ByteArrayCodec.INSTANCE);
                single.async().clientSetname(name.getBytes(java.nio.charset.StandardCharsets.UTF_8));
                connection = single;
            }
            connection.setTimeout(timeout);
            return connection;
        } catch (RuntimeException e) {
            throw RedisErrors.translate(cause(e), timeout);
        }
    }

    static RedisClusterAsyncCommands<byte[], byte[]> commands(StatefulConnection<byte[], byte[]> connection) {
        return connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster
                ? cluster.async()
                : ((StatefulRedisConnection<byte[], byte[]>) connection).async();
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
        synchronized (lock) {
            closed = true;
            last = open;
            open = null;
        }
        if (last != null) {
            last.closeAsync();
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
