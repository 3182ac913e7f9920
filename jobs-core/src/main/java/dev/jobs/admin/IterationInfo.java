package dev.jobs.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.redis.IterationStore;
import dev.jobs.redis.IterationStore.Stored;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How far an iterable job is, as it was kept last: at most about five seconds ago while it runs. What can't be read shows as 0.
 *
 * @param executions how often it was begun or resumed; 0 if it was only cancelled so far
 * @param cursor the cursor of the element that comes next, as JSON; {@code null} for the beginning
 * @param runtime how long all executions have run, to the second
 * @param cancelled since when it is cancelled, or null
 */
public record IterationInfo(
        int executions,
        String cursor,
        Duration runtime,
        @Nullable Instant cancelled) {

    static IterationInfo of(Stored stored) {
        byte[] cursor = stored.cursor();
        String mark = stored.cancelled();
        return new IterationInfo(
                Lenient.smallCount(stored.executions()),
                cursor == null ? "null" : new String(cursor, UTF_8),
                Duration.ofSeconds(Lenient.count(stored.runtime())),
                mark == null ? null : IterationStore.cancelled(mark));
    }
}
