package dev.jobs.engine;

import dev.jobs.redis.JobSets.Due;
import dev.jobs.redis.ParkedJobs;
import dev.jobs.redis.Permits;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import java.util.function.LongSupplier;

/**
 * Declares the limits of this process once, and lets parked jobs go on for which no settlement did that. For the
 * poller's thread.
 */
final class LimitKeeper {

    private final Permits permits;
    private final ParkedJobs parked;
    private final LimitedJobs limited;
    private boolean declared;

    LimitKeeper(RedisConnection connection, RedisKeys keys, LimitedJobs limited, LongSupplier nanoTime) {
        this.permits = new Permits(connection, keys);
        this.parked = new ParkedJobs(connection, keys, nanoTime);
        this.limited = limited;
        this.declared = limited.numbers().isEmpty();
    }

    /** Looks at what {@code jobs:wake} says is due. Returns whether there is more to do soon. */
    boolean look(Due due) {
        if (!declared) {
            permits.declare(limited.numbers());
            declared = true;
        }
        return parked.look(due.limits(), due.serverTime());
    }
}
