package dev.jobs.admin;

/**
 * A job and its position when it was read.
 *
 * @param job as it was read
 * @param index its position in the whole queue or set, from 0 and in the usual order: in a queue the number of jobs that
 *     are taken before it, in a set of those that {@link SetsAdmin#jobs} lists before it
 */
public record ListedJob(JobRecord job, long index) {}
