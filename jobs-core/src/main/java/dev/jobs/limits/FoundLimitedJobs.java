package dev.jobs.limits;

import java.util.List;

/**
 * Parked jobs, in no order.
 *
 * @param partial whether the search stopped before it looked everywhere, so that there may be more of them
 */
public record FoundLimitedJobs(List<LimitedJob> jobs, boolean partial) {

    public FoundLimitedJobs {
        jobs = List.copyOf(jobs);
    }
}
