package dev.jobs.recurring;

import dev.jobs.redis.RedisKeys;

/** The names of the keys of recurring jobs in one namespace, as sidekiq-cron has them. */
record RecurringKeys(RedisKeys keys, String namespace) {

    /** The keys of all of them. */
    byte[] jobs() {
        return keys.key("cron_jobs:" + namespace);
    }

    byte[] job(String name) {
        return keys.key("cron_job:" + namespace + ":" + name);
    }

    /** The times for which one was enqueued. */
    byte[] slots(String name) {
        return keys.key("cron_job:" + namespace + ":" + name + RedisKeys.RECURRING_SLOTS);
    }

    byte[] history(String name) {
        return keys.key("cron_job:" + namespace + ":" + name + RedisKeys.RECURRING_HISTORY);
    }

    /** Which application declared them last. */
    byte[] declared() {
        return keys.key("jobs:declared:" + namespace);
    }
}
