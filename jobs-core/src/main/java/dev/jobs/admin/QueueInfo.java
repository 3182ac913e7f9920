package dev.jobs.admin;

import java.time.Duration;

/**
 * A queue at one moment.
 *
 * @param size jobs in it
 * @param latency how long the job that is taken next has waited; zero if the queue is empty or the job doesn't say
 * @param paused whether workers leave it alone
 * @param broken whether its key in Redis holds something else than a list: nothing can be enqueued or taken until it is cleared
 */
public record QueueInfo(String name, long size, Duration latency, boolean paused, boolean broken) {}
