package dev.jobs.admin;

import java.time.Duration;

/**
 * A queue at one moment.
 *
 * @param size jobs in it
 * @param latency how long the job that is taken next has waited; zero if the queue is empty or the job doesn't contain
 *     the time
 * @param paused whether workers take no jobs from it
 * @param broken whether its key in Redis holds another type than a list: nothing can be enqueued or taken until it is
 *     cleared
 */
public record QueueInfo(String name, long size, Duration latency, boolean paused, boolean broken) {}
