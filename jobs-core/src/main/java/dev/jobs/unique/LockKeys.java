package dev.jobs.unique;

import dev.jobs.Internal;
import dev.jobs.redis.RedisKeys;

/** The names of the keys of unique and debounced jobs. */
@Internal
public record LockKeys(RedisKeys keys) {

    private static final String LOCK = "unique:";

    /** The lock of unique jobs with one key: the jid of the job that holds it. */
    byte[] lock(String digest) {
        return keys.key(LOCK + digest);
    }

    /** The prefix of all locks. */
    String prefix() {
        return keys.prefix() + LOCK;
    }

    /** What is stored about the job that the next one with its key may replace. */
    public byte[] twin(String digest) {
        return keys.key("jobs:twin:" + digest);
    }

    /** The jobs that a process holds. */
    byte[] inFlight(String incarnation) {
        return keys.inFlight(incarnation);
    }

    /** Is there once a unique job was enqueued. */
    public byte[] used() {
        return keys.key("jobs:unique");
    }
}
