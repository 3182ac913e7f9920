package dev.jobs.ends;

import dev.jobs.Internal;
import dev.jobs.redis.RedisKeys;

/** The names of the keys of cancelled jobs. */
@Internal
public record EndKeys(RedisKeys keys) {

    /** The progress of an iterable job, where Ruby looks for its cancellation. */
    public byte[] iteration(String jid) {
        return keys.key("it-" + jid);
    }
}
