package dev.jobs.store;

import dev.jobs.Internal;
import dev.jobs.redis.RedisKeys;

/** The sorted sets of jobs. */
@Internal
public enum StoredSet {
    SCHEDULE,
    RETRY,
    DEAD;

    public byte[] key(RedisKeys keys) {
        return switch (this) {
            case SCHEDULE -> keys.schedule();
            case RETRY -> keys.retry();
            case DEAD -> keys.dead();
        };
    }
}
