package dev.jobs.test;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Payload;
import dev.jobs.client.ResultStore;
import dev.jobs.results.KeptResult;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What jobs left in memory: how they ended, for as long as they say by the test's clock, and what they logged, until the
 * next test. Thread-safe.
 */
final class MemoryResults implements ResultStore {

    /** As the scripts of Redis write it. */
    private static final byte[] REFUSED =
            "{\"state\":\"deleted\",\"message\":\"An enqueue middleware refused it when it was due\"}".getBytes(UTF_8);

    private record Kept(byte[] result, Instant end) {}

    private final Runnable beforeWait;
    private final InstantSource clock;

    // Guarded by this.
    private final Map<String, Kept> results = new HashMap<>();
    private final Map<String, List<String>> logs = new HashMap<>();

    /** @param beforeWait runs what is due: nothing ends while a thread waits */
    MemoryResults(Runnable beforeWait, InstantSource clock) {
        this.beforeWait = beforeWait;
        this.clock = clock;
    }

    synchronized void keep(Payload job, byte @Nullable [] result, List<String> lines) {
        String jid = String.valueOf(job.jid());
        KeptResult kept = KeptResult.of(job);
        if (result != null && kept != null) {
            results.put(jid, new Kept(result, clock.instant().plus(kept.time())));
        }
        logs.computeIfAbsent(jid, key -> new ArrayList<>()).addAll(lines);
    }

    /** A middleware refused a job that was due. */
    void refused(Payload job) {
        keep(job, REFUSED, List.of());
    }

    synchronized List<String> log(String jid) {
        return List.copyOf(logs.getOrDefault(jid, List.of()));
    }

    @Override
    public synchronized byte @Nullable [] find(String jid) {
        Kept kept = results.get(jid);
        return kept == null || !kept.end().isAfter(clock.instant())
                ? null
                : kept.result().clone();
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
