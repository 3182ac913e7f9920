package dev.jobs.history;

import dev.jobs.threads.BackgroundLoop;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Deletes what is older than the retention, as a {@link BackgroundLoop.Work}, in slices: batches are marked first, and
 * are then no longer found.
 */
final class HistoryRetention implements BackgroundLoop.Work {

    private static final Duration PAUSE = Duration.ofMinutes(10);

    /** Leaves the database to others between two slices. */
    private static final Duration BETWEEN_SLICES = Duration.ofMillis(200);

    private final HistoryTables tables;
    private final Clock clock;
    private final Duration retention;

    HistoryRetention(HistoryTables tables, Clock clock, Duration retention) {
        this.tables = tables;
        this.clock = clock;
        this.retention = retention;
    }

    @Override
    public Duration runOnce() {
        Instant before = clock.instant().minus(retention);
        tables.inTransaction(() -> tables.tasks().markOld(before));
        boolean more = tables.fromTransaction(this::deleteSliceOfBatch)
                || tables.fromTransaction(() -> tables.events().deleteSlice(before)) >= EventTable.SLICE;
        return more ? BETWEEN_SLICES : PAUSE;
    }

    private boolean deleteSliceOfBatch() {
        @Nullable String task = tables.tasks().lockMarked();
        if (task == null) {
            return false;
        }
        if (tables.events().deleteSlice(task) < EventTable.SLICE) {
            tables.tasks().delete(task);
        }
        return true;
    }
}
