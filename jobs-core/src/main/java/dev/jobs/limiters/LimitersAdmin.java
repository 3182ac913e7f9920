package dev.jobs.limiters;

import dev.jobs.Internal;
import dev.jobs.admin.Found;
import dev.jobs.admin.ScanBudget;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.limiters.Limiters.Kind;
import java.util.Optional;

/**
 * Shows and changes {@linkplain Limiters limiters}; see {@link JobsAdmin#limiters}. A limiter is known from its first
 * use until an hour after the last one, or for as long as it matters, and while its size is set here. Thread-safe.
 */
public final class LimitersAdmin {

    private static final long MOST = 1_000_000_000;
    private static final long MOST_LISTED = 10_000;

    private final JobLimiters limiters;

    @Internal
    public LimitersAdmin(JobLimiters limiters) {
        this.limiters = limiters;
    }

    /**
     * The limiters that there are. Looks through the names of all keys in Redis, a thousand at a time, so that no call
     * is slow.
     *
     * @param budget counts limiters, not keys
     */
    public Found<LimiterInfo> all(ScanBudget budget) {
        return limiters.all(budget);
    }

    /** Finds a limiter. */
    public Optional<LimiterInfo> find(Kind kind, String name) {
        return limiters.find(kind, name);
    }

    /**
     * Sets the size of a limiter: how many permits, uses or points. It applies to all processes from their next use on,
     * and wins over the size in the code until it is {@linkplain #useSizeOfCode taken back}. What is running goes on.
     *
     * @param size 1 to 10,000 for concurrent limiters and windows, to 1,000,000,000 for others
     */
    public void resize(Kind kind, String name, long size) {
        long most = kind == Kind.CONCURRENT || kind == Kind.WINDOW ? MOST_LISTED : MOST;
        if (size < 1 || size > most) {
            throw new IllegalArgumentException("'size' must be 1 to " + most + " but was " + size);
        }
        limiters.resize(kind, name, size);
    }

    /** Lets the size in the code apply again. */
    public void useSizeOfCode(Kind kind, String name) {
        limiters.resize(kind, name, null);
    }

    /**
     * Forgets a limiter: its uses, who holds its permits, and the size that was set here. More may be done than it
     * allows until what runs has ended and the period is over.
     */
    public void forget(Kind kind, String name) {
        limiters.forget(kind, name);
    }
}
