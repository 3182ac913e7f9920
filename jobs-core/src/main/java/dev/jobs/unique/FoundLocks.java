package dev.jobs.unique;

import java.util.List;

/**
 * Locks of unique jobs, in no order.
 *
 * @param partial whether the search stopped before it looked everywhere, so that there may be more of them
 */
public record FoundLocks(List<HeldLock> locks, boolean partial) {

    public FoundLocks {
        locks = List.copyOf(locks);
    }
}
