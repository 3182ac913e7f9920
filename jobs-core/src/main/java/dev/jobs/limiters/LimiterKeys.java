package dev.jobs.limiters;

import dev.jobs.redis.RedisKeys;

/** The names of the keys of limiters. */
record LimiterKeys(RedisKeys keys) {

    private static final String PREFIX = "jobs:limiter:";

    /**
     * What a limiter keeps besides its uses.
     *
     * @param kind in lower case
     */
    byte[] limiter(String kind, String name) {
        return keys.key(PREFIX + kind + ":" + name);
    }

    /** The prefix of the keys of all limiters. */
    String prefix() {
        return keys.prefix() + PREFIX;
    }

    /** When a window was used. */
    byte[] log(String name) {
        return keys.key(PREFIX + "log:" + name);
    }

    /** The permits of a concurrent limiter that jobs hold. */
    byte[] permits(String name) {
        return keys.key(PREFIX + "slots:" + name);
    }

    /** Its other permits, which end by themselves. */
    byte[] timedPermits(String name) {
        return keys.key(PREFIX + "timed:" + name);
    }
}
