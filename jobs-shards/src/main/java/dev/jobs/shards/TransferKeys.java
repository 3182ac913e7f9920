package dev.jobs.shards;

import dev.jobs.redis.RedisKeys;

/** The names of the keys of transfers: of queues on their way to another shard. */
record TransferKeys(RedisKeys keys) {

    /** The names of queues with an open transfer. */
    byte[] open() {
        return keys.key("jobs:outgoing");
    }

    /** The transfer of a queue. */
    byte[] transfer(String queue) {
        return keys.key("jobs:outgoing:" + queue);
    }

    /** Its jobs that are in neither shard's queue: those of one slice. */
    byte[] slice(String queue) {
        return keys.key("jobs:slice:" + queue);
    }

    /** What came from other shards: the last slice of each transfer. */
    byte[] incoming() {
        return keys.key("jobs:incoming");
    }
}
