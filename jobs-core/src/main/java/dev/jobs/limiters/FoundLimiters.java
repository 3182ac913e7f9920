package dev.jobs.limiters;

import java.util.List;

/**
 * Limiters, in no order.
 *
 * @param partial whether the search stopped before it looked everywhere, so that there may be more of them
 */
public record FoundLimiters(List<LimiterInfo> limiters, boolean partial) {

    public FoundLimiters {
        limiters = List.copyOf(limiters);
    }
}
