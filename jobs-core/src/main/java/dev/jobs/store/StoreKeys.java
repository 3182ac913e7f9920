package dev.jobs.store;

import dev.jobs.Internal;
import dev.jobs.redis.RedisKeys;

/** The names of the keys of what scripts of several rooms look at in the step in which a job is stored, moves or ends. */
@Internal
public record StoreKeys(RedisKeys keys) {

    /** When jobs were cancelled, by jid. */
    public byte[] cancelled() {
        return keys.key("jobs:cancelled");
    }

    /** The cancelled batches. */
    public byte[] cancelledBatches() {
        return keys.key("jobs:batches:cancelled");
    }

    /** Effects that met an error. */
    public byte[] lostEffects() {
        return keys.key("jobs:effects:lost");
    }
}
