package dev.jobs.lists;

import dev.jobs.Internal;
import dev.jobs.store.Settlement;
import dev.jobs.store.StoredSet;
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
@Internal
public final class BrokenKeys {

    private static final Logger log = LoggerFactory.getLogger(BrokenKeys.class);

    /**
     * Such a key.
     *
     * @param set null if it is the list of a queue
     * @param queue null if it is a set
     */
    public record Key(@Nullable StoredSet set, @Nullable String queue) {

        @Override
        public String toString() {
            return set == null
                    ? "The key of queue " + queue
                    : "The key '" + set.name().toLowerCase(Locale.ROOT) + "'";
        }
    }

    /**
     * A key that was found.
     *
     * @param soundBefore whether it was sound at the last check
     */
    private record Finding(String sentence, boolean soundBefore) {}

    private final Map<Key, Finding> found = new ConcurrentHashMap<>();

    public void queue(String queue) {
        found(new Key(null, queue), " is not a list, so no job is taken from it or put into it");
    }

    /** The target of a settlement that Redis refused. */
    public void target(Settlement settlement) {
        switch (settlement.kind()) {
            case RETRIED -> set(StoredSet.RETRY);
            case POSTPONED -> set(StoredSet.SCHEDULE);
            case DEAD -> set(StoredSet.DEAD);
            case DONE, DISCARDED, FAILED, SKIPPED, HANDED_BACK, INTERRUPTED -> queue(settlement.where());
        }
    }

    public void set(StoredSet set) {
        found(
                new Key(set, null),
                " is not a sorted set, so "
                        + switch (set) {
                            case RETRY ->
                                "failed jobs stay in progress, for each of them one job fewer runs, and no job is "
                                        + "retried";
                            case SCHEDULE -> "jobs with a time can't be stored or become due";
                            case DEAD ->
                                "jobs that should go there stay in progress, and for each of them one job fewer runs";
                        });
    }

    private void found(Key key, String consequence) {
        if (found.put(key, new Finding(key + consequence, false)) == null) {
            log.error("{}{}, until the key is repaired", key, consequence);
        }
    }

    /**
     * Checks the keys that were found, and forgets those that are sound for the second time in a row: at the first
     * time, the answer to a call from before the repair may still be on its way.
     *
     * @return whether there are keys to check again soon
     */
    public boolean check(Predicate<Key> isBroken) {
        boolean again = false;
        for (Map.Entry<Key, Finding> each : found.entrySet()) {
            Key key = each.getKey();
            Finding finding = each.getValue();
            boolean sound = !isBroken.test(key);
            if (!sound || !finding.soundBefore()) {
                boolean noted = found.replace(key, finding, new Finding(finding.sentence(), sound));
                again |= noted && sound;
            } else if (found.remove(key, finding)) {
                log.info("{} is repaired", key);
            }
        }
        return again;
    }

    /** A sentence about each broken key. */
    public List<String> all() {
        return found.values().stream().map(Finding::sentence).toList();
    }
}
