package dev.jobs.engine;

import dev.jobs.redis.JobSets.JobSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys of queues and sets that hold a wrong type, so that jobs can neither enter nor leave. Logs one line when such a
 * key is found for the first time, and one when it is repaired. Thread-safe.
 */
final class BrokenKeys {

    private static final Logger log = LoggerFactory.getLogger(BrokenKeys.class);

    /**
     * Such a key.
     *
     * @param set null if it is the list of a queue
     * @param queue null if it is a set
     */
    record Key(@Nullable JobSet set, @Nullable String queue) {

        @Override
        public String toString() {
            return set == null
                    ? "The key of queue " + queue
                    : "The key '" + set.name().toLowerCase(Locale.ROOT) + "'";
        }
    }

    private final Map<Key, String> found = new ConcurrentHashMap<>();

    void queue(String queue) {
        found(new Key(null, queue), " is not a list, so no job is taken from it or put into it");
    }

    void set(JobSet set) {
        found(
                new Key(set, null),
                " is not a sorted set, so "
                        + switch (set) {
                            case RETRY -> "failed jobs stay in progress and keep their places, and no job is retried";
                            case SCHEDULE -> "jobs with a time can't be stored or become due";
                            case DEAD -> "jobs that should go there stay in progress and keep their places";
                        });
    }

    private void found(Key key, String consequence) {
        if (found.putIfAbsent(key, key + consequence) == null) {
            log.error("{}{}, until the key is repaired", key, consequence);
        }
    }

    /** Checks the keys that were found, and forgets those that are repaired. */
    void check(Predicate<Key> isBroken) {
        for (Key key : found.keySet()) {
            if (!isBroken.test(key)) {
                found.remove(key);
                log.info("{} is repaired", key);
            }
        }
    }

    /** A sentence about each broken key. */
    List<String> all() {
        return List.copyOf(found.values());
    }
}
