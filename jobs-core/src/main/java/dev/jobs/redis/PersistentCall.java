package dev.jobs.redis;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A call of a repeatable script, which is repeated while Redis can't be reached. */
@Internal
public record PersistentCall(LuaScript script, ScriptOutputType type, byte[][] keys, byte[][] arguments) {

    private static final long FIRST_PAUSE_MILLIS = 10;
    private static final long LONGEST_PAUSE_MILLIS = 200;
    /** What doesn't answer at once isn't deaf. */
    private static final long SHORTEST_WAIT_MILLIS = 100;

    /** Repeats it until the command timeout is over. */
    public <T extends @Nullable Object> T over(RedisConnection connection) {
        return over(connection, connection.timeout(), new AtomicBoolean());
    }

    /**
     * Repeats it until the time is over. Takes longer only if a connection has to be opened and the server doesn't
     * answer.
     *
     * @param uncertain set when an attempt failed in a way that leaves open whether the script ran
     */
    public <T extends @Nullable Object> T over(RedisConnection connection, Duration atMost, AtomicBoolean uncertain) {
        long deadline = System.nanoTime() + atMost.toNanos();
        long pause = FIRST_PAUSE_MILLIS;
        while (true) {
            long left = Math.max(
                    Math.min(SHORTEST_WAIT_MILLIS, connection.timeout().toMillis()),
                    TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
            try {
                return connection.run(commands -> RedisConnection.eval(commands, script, type, keys, arguments), left);
            } catch (JobStoreException e) {
                if (RedisErrors.mayHaveRun(e)) {
                    uncertain.set(true);
                }
                if (!RedisErrors.isWorthRepeating(e)
                        || connection.isClosed()
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
}
