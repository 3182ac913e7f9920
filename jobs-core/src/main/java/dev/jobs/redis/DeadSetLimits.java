package dev.jobs.redis;

import java.time.Duration;

/**
 * How much the dead set keeps. What exceeds it is dropped, oldest first, whenever a job dies.
 *
 * @param maxJobs Sidekiq's {@code dead_max_jobs}, 10,000 by default; as there, one less is kept
 * @param retention how long, 180 days by default
 */
public record DeadSetLimits(int maxJobs, Duration retention) {}
