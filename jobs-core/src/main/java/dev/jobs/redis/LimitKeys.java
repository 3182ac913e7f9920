package dev.jobs.redis;

/** The names of the keys of limits on jobs. */
record LimitKeys(RedisKeys keys) {

    /** Who holds permits of a limit. */
    byte[] permits(String limit) {
        return keys.key("jobs:permits:" + limit);
    }

    /** The jobs that wait for a permit of a limit. */
    byte[] parked(String limit) {
        return keys.key("jobs:parked:" + limit);
    }

    /** The limits of the jobs that a process runs, by token. */
    byte[] permitted(String incarnation) {
        return keys.key("jobs:permitted:" + incarnation);
    }

    /** How many permits limits have. */
    byte[] limits() {
        return keys.key("jobs:limits");
    }

    /** Keys of limits that the leader is to look at, by time. */
    byte[] wake() {
        return keys.key("jobs:wake");
    }
}
