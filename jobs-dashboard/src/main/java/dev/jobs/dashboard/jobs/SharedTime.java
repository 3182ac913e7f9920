package dev.jobs.dashboard.jobs;

import dev.jobs.admin.ScanBudget;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The time of a search in several places. What one place doesn't need is for those after it. Confined to one thread.
 */
final class SharedTime {

    private final LongSupplier nanoTime;
    private final long end;
    private int places;

    /** @param places how many there are */
    SharedTime(Duration all, int places, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.end = nanoTime.getAsLong() + all.toNanos();
        this.places = places;
    }

    /** The part of the next place: an equal share of the time that is left. */
    ScanBudget next(int entries) {
        long left = Math.max(0, end - nanoTime.getAsLong());
        Duration share = Duration.ofNanos(left / Math.max(1, places));
        places--;
        return new ScanBudget(entries, share);
    }
}
