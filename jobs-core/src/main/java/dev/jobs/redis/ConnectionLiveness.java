package dev.jobs.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * Checks whether a connection still works: a NAT or a proxy may drop a quiet connection without notifying either side.
 * Thread-safe.
 */
final class ConnectionLiveness {

    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(8);
    private static final long PINGED_AFTER_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final Duration LONGEST_PATIENCE = Duration.ofSeconds(1);

    private final LongSupplier nanoTime;
    private final long patienceMillis;

    /** When the connection was last used or proven to work. */
    private volatile long lastUse;

    /** @param timeout the command timeout */
    ConnectionLiveness(LongSupplier nanoTime, Duration timeout) {
        this.nanoTime = nanoTime;
        Duration half = timeout.dividedBy(2);
        this.patienceMillis = Math.max(1, (half.compareTo(LONGEST_PATIENCE) < 0 ? half : LONGEST_PATIENCE).toMillis());
    }

    /** Call this when the connection was opened, and before each command. */
    void used() {
        lastUse = nanoTime.getAsLong();
    }

    /** Whether the connection was quiet for so long that it must {@linkplain #isProven be proven} before use. */
    boolean isDoubtful() {
        return nanoTime.getAsLong() - lastUse >= QUIET_NANOS;
    }

    /**
     * Whether the server answers a ping soon. A ping costs a round trip; a new connection costs less than a long wait.
     */
    boolean isProven(StatefulRedisConnection<byte[], byte[]> connection) {
        try {
            RedisConnection.commands(connection)
                    .ping()
                    .toCompletableFuture()
                    .get(patienceMillis, TimeUnit.MILLISECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true; // the next wait ends at once and reports the interruption
        } catch (ExecutionException e) {
            return e.getCause() instanceof RedisCommandExecutionException; // a refusal is an answer, too
        } catch (RedisException | TimeoutException | CancellationException e) {
            return false;
        }
    }

    /**
     * Sends a ping if nothing was sent for two seconds, without waiting for the answer.
     *
     * @param deaf run on any thread if no answer comes within the command timeout, or the connection is lost
     */
    void keep(StatefulRedisConnection<byte[], byte[]> connection, Runnable deaf) {
        if (nanoTime.getAsLong() - lastUse < PINGED_AFTER_NANOS) {
            return;
        }
        try {
            RedisConnection.commands(connection).ping().whenComplete((pong, failure) -> {
                if (failure == null) {
                    used();
                } else if (!(failure instanceof RedisCommandExecutionException)) {
                    deaf.run();
                }
            });
        } catch (RedisException e) {
            deaf.run();
        }
    }
}
