package dev.jobs.spring.autoconfigure.batches;

import dev.jobs.Internal;
import dev.jobs.batches.BatchStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Notices unfinished batches that don't change. Redis doesn't store when a job of a batch last ended, so this compares
 * readings; time before the first one doesn't count. Thread-safe.
 */
@Internal
public final class StuckBatches {

    private final Duration after;
    private final LongSupplier nanoTime;
    private Map<String, Seen> seen = Map.of();

    /** A batch at the first reading that found it like this. */
    private record Seen(String version, long nanos) {}

    /** @param after how long a batch may stay the same */
    public StuckBatches(Duration after, LongSupplier nanoTime) {
        this.after = after;
        this.nanoTime = nanoTime;
    }

    /** Returns those of all unfinished batches that have not changed for too long. */
    public synchronized List<BatchStatus> among(List<BatchStatus> unfinished) {
        long now = nanoTime.getAsLong();
        Map<String, Seen> next = new HashMap<>();
        List<BatchStatus> stuck = new ArrayList<>();
        for (BatchStatus batch : unfinished) {
            String version = batch.version();
            Seen before = seen.get(batch.id());
            Seen since = before != null && before.version().equals(version) ? before : new Seen(version, now);
            next.put(batch.id(), since);
            if (isOnItsOwn(batch) && now - since.nanos() > after.toNanos()) {
                stuck.add(batch);
            }
        }
        seen = next;
        return stuck;
    }

    /** Whether it doesn't just wait for another batch. */
    private static boolean isOnItsOwn(BatchStatus batch) {
        return !batch.isFinished() && !batch.waitsForPrevious() && batch.childrenOpen() == 0;
    }
}
