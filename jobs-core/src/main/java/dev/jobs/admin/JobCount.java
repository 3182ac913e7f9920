package dev.jobs.admin;

/**
 * How many jobs of a queue or set match.
 *
 * @param count matching jobs found
 * @param total all jobs in the queue or set
 * @param partial whether the count stopped before it looked at all jobs, because its budget was used up
 */
public record JobCount(long count, long total, boolean partial) {}
