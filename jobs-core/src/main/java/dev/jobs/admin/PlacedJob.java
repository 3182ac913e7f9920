package dev.jobs.admin;

/**
 * A job and where it stood when it was read.
 *
 * @param index jobs before it: in a queue those that are taken before it, in a set those that a page shows before it
 */
public record PlacedJob(JobRecord job, long index) {}
