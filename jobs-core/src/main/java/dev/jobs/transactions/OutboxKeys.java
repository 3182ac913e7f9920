package dev.jobs.transactions;

import dev.jobs.redis.RedisKeys;

/** The names of the keys of outboxes. */
record OutboxKeys(RedisKeys keys) {

    /** The last slice of each lane. */
    byte[] outbox() {
        return keys.key("jobs:outbox");
    }
}
