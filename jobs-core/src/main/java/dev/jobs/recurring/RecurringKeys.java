package dev.jobs.recurring;

import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisKeys;

/** The names of the keys of recurring jobs in one namespace, as sidekiq-cron has them. */
record RecurringKeys(RedisKeys keys, String namespace) {

    private static final String SLOTS = ":enqueued";
    private static final String HISTORY = ":jid_history";

    /** What those of all namespaces begin with, and no other keys. */
    static String prefix(RedisKeys keys) {
        return keys.prefix() + "cron_job";
    }

    /** Whether a key has what one of them is or which there are, rather than when one was enqueued. */
    boolean isJob(String key) {
        return key.equals(Bytes.text(jobs()))
                || key.startsWith(Bytes.text(job(""))) && !key.endsWith(SLOTS) && !key.endsWith(HISTORY);
    }

    /** The keys of those that Ruby sees. */
    byte[] jobs() {
        return keys.key("cron_jobs:" + namespace);
    }

    /** The keys of those whose schedules Ruby can't read: a page of its fails at each such one that it finds. */
    byte[] own() {
        return keys.key("jobs:recurring:" + namespace);
    }

    byte[] job(String name) {
        return keys.key("cron_job:" + namespace + ":" + name);
    }

    /** The times for which one was enqueued. */
    byte[] slots(String name) {
        return keys.key("cron_job:" + namespace + ":" + name + SLOTS);
    }

    byte[] history(String name) {
        return keys.key("cron_job:" + namespace + ":" + name + HISTORY);
    }

    /** One as it was before it was changed. */
    byte[] copy(String id) {
        return keys.key("jobs:undo:recurring:" + namespace + ":" + id);
    }

    /** What declarations changed last. */
    byte[] changes() {
        return keys.key("jobs:declarations:" + namespace);
    }

    /** Which application declared them last. */
    byte[] declared() {
        return keys.key("jobs:declared:" + namespace);
    }
}
