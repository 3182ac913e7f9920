package dev.jobs.limiters;

import dev.jobs.limiters.Limiters.Kind;
import java.time.Duration;

/**
 * A limiter as Redis knows it.
 *
 * @param size what applies: the size in the code of the last use, or the one that was set at run time
 * @param resized whether it was set at run time
 * @param used how much of the size is taken: uses of the period, permits, or points that have not drained
 * @param freeIn when there may be room; zero if there is some. Of a concurrent limiter it is an estimate
 */
public record LimiterInfo(Kind kind, String name, long size, boolean resized, double used, Duration freeIn) {}
