package dev.jobs.ends;

import dev.jobs.Internal;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The jids of jobs that were cancelled one by one, as this process knows; of those that have ended some are still
 * known. Thread-safe.
 */
@Internal
public final class CancelledJobs {

    private volatile Set<String> jids = Set.of();

    /** Nearly always there are none, which costs a job a comparison. */
    public boolean contains(String jid) {
        Set<String> known = jids;
        return !known.isEmpty() && known.contains(jid);
    }

    int size() {
        return jids.size();
    }

    public synchronized void add(Collection<String> more) {
        if (jids.isEmpty()) {
            replace(more);
        } else {
            jids.addAll(more);
        }
    }

    public synchronized void remove(String jid) {
        if (!jids.isEmpty()) {
            jids.remove(jid);
        }
    }

    /** Replaces what is known. */
    public synchronized void replace(Collection<String> all) {
        if (all.isEmpty()) {
            jids = Set.of();
        } else {
            Set<String> fresh = ConcurrentHashMap.newKeySet(all.size());
            fresh.addAll(all);
            jids = fresh;
        }
    }
}
