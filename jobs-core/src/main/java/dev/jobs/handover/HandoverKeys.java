package dev.jobs.handover;

import dev.jobs.Internal;
import dev.jobs.redis.RedisKeys;

/** The names of the keys by which idle workers learn of jobs at once. */
@Internal
public record HandoverKeys(RedisKeys keys) {

    /** The capsules with some queues that are notified of jobs. */
    byte[] onCall(String queues) {
        return keys.key("jobs:oncall:" + queues);
    }

    /** The others. */
    byte[] spare(String queues) {
        return keys.key("jobs:spare:" + queues);
    }

    /** Its changes tell a process that it hears any. */
    byte[] bell() {
        return keys.key("jobs:bell");
    }

    /** Its changes tell workers that a queue which a gate had shut is open. */
    public byte[] bell(String queue) {
        return keys.key("jobs:bell:" + queue);
    }
}
