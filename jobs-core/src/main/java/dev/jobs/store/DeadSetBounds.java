package dev.jobs.store;

import dev.jobs.Internal;
import java.time.Duration;

/**
 * The bounds of the dead set. Whenever a job dies, the oldest jobs beyond them are removed.
 *
 * @param maxJobs Sidekiq's {@code dead_max_jobs}, 10,000 by default; as in Sidekiq, one job less is kept
 * @param retention how long a job is kept, 180 days by default
 */
@Internal
public record DeadSetBounds(int maxJobs, Duration retention) {

    /** Sidekiq's defaults. */
    public static DeadSetBounds defaults() {
        return new DeadSetBounds(10_000, Duration.ofDays(180));
    }
}
