package dev.jobs.processes;

import dev.jobs.Internal;
import dev.jobs.redis.RedisKeys;

/** The names of the keys of what processes show of themselves, and hear when they do so. */
@Internal
public record ProcessKeys(RedisKeys keys) {

    /** The stack of a thread, once somebody has asked for it. */
    byte[] stack(String identity, String thread) {
        return keys.key("jobs:stack:" + identity + ":" + thread);
    }

    /** What workers declare and people set for limits. */
    public byte[] limits() {
        return keys.key("jobs:limits");
    }

    /** What gauges show. The number is that of the format: another one has a key of its own. */
    byte[] gauges() {
        return keys.key("jobs:gauges:1");
    }

    /** The last reading of the ledger. */
    byte[] books() {
        return keys.key("jobs:books:1");
    }

    /** What jobs the workers of all versions know. */
    byte[] workers() {
        return keys.key("jobs:workers:1");
    }
}
