package dev.jobs.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Every job that Redis gave a capsule and that is not settled, by token. Thread-safe. */
final class HeldJobs {

    private final Map<String, ClaimedJob> byToken = new ConcurrentHashMap<>();

    void add(ClaimedJob job) {
        byToken.put(job.token(), job);
    }

    boolean has(String token) {
        return byToken.containsKey(token);
    }

    boolean isEmpty() {
        return byToken.isEmpty();
    }

    Collection<ClaimedJob> all() {
        return byToken.values();
    }

    void remove(String token) {
        byToken.remove(token);
        if (byToken.isEmpty()) {
            tellIfEmpty();
        }
    }

    /** Forgets all of them. Returns them. */
    List<ClaimedJob> removeAll() {
        List<ClaimedJob> all = List.copyOf(byToken.values());
        byToken.clear();
        tellIfEmpty();
        return all;
    }

    private synchronized void tellIfEmpty() {
        notifyAll();
    }

    /** Waits until there is none; returns at once if so. */
    boolean awaitEmpty(Duration patience) {
        return Threads.await(this, patience, byToken::isEmpty);
    }
}
