package dev.jobs.results;

import dev.jobs.Internal;
import dev.jobs.redis.RedisKeys;

/** The names of the keys of results, and of what running jobs report. */
@Internal
public record ResultKeys(RedisKeys keys) {

    /** How a job ended, with its value. */
    byte[] result(String jid) {
        return keys.key("jobs:result:" + jid);
    }

    /** The jids of ended jobs for which a client waits. */
    byte[] replies(String client) {
        return keys.key("jobs:replies:" + client);
    }

    /** Is there once a job was enqueued whose result is kept. */
    public byte[] used() {
        return keys.key("jobs:results");
    }

    /** How far a job is, by its own report. */
    byte[] progress(String jid) {
        return keys.key("jobs:progress:" + jid);
    }

    /** The last lines that a job logged. */
    byte[] log(String jid) {
        return keys.key("jobs:log:" + jid);
    }
}
