package dev.jobs.test;

import dev.jobs.client.ResultStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What jobs left in memory: how they ended, and what they logged. Kept until the next test. Thread-safe. */
final class MemoryResults implements ResultStore {

    private final Runnable beforeWait;

    // Guarded by this.
    private final Map<String, byte[]> results = new HashMap<>();
    private final Map<String, List<String>> logs = new HashMap<>();

    /** @param beforeWait runs what is due: nothing ends while a thread waits */
    MemoryResults(Runnable beforeWait) {
        this.beforeWait = beforeWait;
    }

    synchronized void keep(String jid, byte @Nullable [] result, List<String> lines) {
        if (result != null) {
            results.put(jid, result);
        }
        logs.computeIfAbsent(jid, key -> new ArrayList<>()).addAll(lines);
    }

    synchronized List<String> log(String jid) {
        return List.copyOf(logs.getOrDefault(jid, List.of()));
    }

    @Override
    public synchronized byte @Nullable [] find(String jid) {
        byte[] result = results.get(jid);
        return result == null ? null : result.clone();
    }

    @Override
    public boolean beginWait() {
        beforeWait.run();
        return false;
    }

    @Override
    public List<String> next(String client) {
        return List.of();
    }

    @Override
    public Duration longestCall() {
        return Duration.ZERO;
    }

    synchronized void clear() {
        results.clear();
        logs.clear();
    }
}
