package dev.jobs.admin;

import java.util.List;

/**
 * What a search found.
 *
 * @param jobs in the order in which a page shows them
 * @param partial whether it ended before everything was looked at, so that there may be more
 */
public record ScanResult(List<JobRecord> jobs, boolean partial) {

    public ScanResult {
        jobs = List.copyOf(jobs);
    }
}
