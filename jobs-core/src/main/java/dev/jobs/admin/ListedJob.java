package dev.jobs.admin;

/**
 * A job and its position when it was read.
 *
 * @param index the number of jobs before it: in a queue those that are taken before it, in a set those that a page
 *     lists before it
 */
public record ListedJob(JobRecord job, long index) {}
