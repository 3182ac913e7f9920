package dev.jobs.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * Whether a connection still works: a NAT or a proxy may forget one that is quiet, and tells neither side. The connections to the nodes of a
 * cluster are left to their client. Thread-safe.
 */
final class ConnectionLiveness {

    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(8);
    private static final long PINGED_AFTER_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final Duration LONGEST_PATIENCE = Duration.ofSeconds(1);

    private final LongSupplier nanoTime;
    private final long patienceMillis;

    /** When something was sent that needed no proof, or a proof came. */
    private volatile long lastUse;

    /** @param timeout how long a command may take */
    ConnectionLiveness(LongSupplier nanoTime, Duration timeout) {
        this.nanoTime = nanoTime;
        Duration half = timeout.dividedBy(2);
        this.patienceMillis = Math.max(1, (half.compareTo(LONGEST_PATIENCE) < 0 ? half : LONGEST_PATIENCE).toMillis());
    }

    /** It was just opened, or something is about to be sent on it. */
    void used() {
        lastUse = nanoTime.getAsLong();
    }

    /** Whether it was quiet for so long that nothing should depend on it before it {@linkplain #isProven is proven}. */
    boolean isDoubtful(StatefulConnection<?, ?> connection) {
        return connection instanceof StatefulRedisConnection && nanoTime.getAsLong() - lastUse >= QUIET_NANOS;
    }

    /** Whether somebody answers soon: to ask costs a round trip, and to open another connection costs less than to wait for long. */
    boolean isProven(StatefulConnection<byte[], byte[]> connection) {
        try {
            RedisConnection.commands(connection)
                    .ping()
                    .toCompletableFuture()
                    .get(patienceMillis, TimeUnit.MILLISECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true; // the next wait ends at once and says so
        } catch (ExecutionException e) {
            return e.getCause() instanceof RedisCommandExecutionException; // a refusal is a sign of life, too
        } catch (RedisException | TimeoutException | CancellationException e) {
            return false;
        }
    }

    /**
     * Sends a ping if nothing was sent for two seconds, and doesn't wait for the answer.
     *
     * @param deaf run on any thread if there is none within the timeout of a command
     */
    void keep(StatefulConnection<byte[], byte[]> connection, Runnable deaf) {
        if (!(connection instanceof StatefulRedisConnection) || nanoTime.getAsLong() - lastUse < PINGED_AFTER_NANOS) {
            return;
        }
        try {
            RedisConnection.commands(connection).ping().whenComplete((pong, failure) -> {
                if (failure == null) {
                    used();
                } else if (failure instanceof RedisCommandTimeoutException) {
                    deaf.run();
                }
            });
        } catch (RedisException e) {
            // it is lost, which its next use finds out
        }
    }
}
