package dev.jobs.iterations;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import dev.jobs.admin.LenientValues;
import dev.jobs.ends.Cancellations;
import dev.jobs.iterations.IterationStore.Stored;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The progress of an iterable job as stored last: about five seconds ago at most while it runs. Unreadable data shows
 * as 0.
 *
 * @param executions how often it was started or resumed; 0 if it was only cancelled so far
 * @param cursor the cursor of the next element, as JSON; {@code null} for the beginning
 * @param runtime the total duration of all executions, to the second
 * @param cancelled when it was cancelled, or null
 */
public record IterationInfo(
        int executions,
        String cursor,
        Duration runtime,
        @Nullable Instant cancelled) {

    @Internal
    public static IterationInfo of(Stored stored) {
        byte[] cursor = stored.cursor();
        String mark = stored.cancelled();
        return new IterationInfo(
                LenientValues.smallCount(stored.executions()),
                cursor == null ? "null" : new String(cursor, UTF_8),
                Duration.ofSeconds(LenientValues.count(stored.runtime())),
                mark == null ? null : Cancellations.timeOf(mark));
    }
}
