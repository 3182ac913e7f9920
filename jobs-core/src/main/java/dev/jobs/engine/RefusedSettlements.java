package dev.jobs.engine;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finished jobs that Redis could not settle, since a key is broken: they are tried again after a pause. For each, one
 * job fewer is claimed, or else jobs would come in without any leaving. For one thread at a time, except for counting
 * and forgetting.
 */
final class RefusedSettlements {

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Those that wait to be tried again. */
    private final Queue<ClaimedJob> waiting = new ArrayDeque<>();

    /** All, by token. */
    private final Set<String> all = ConcurrentHashMap.newKeySet();

    private long until;

    void add(ClaimedJob job, long nanos) {
        waiting.add(job);
        all.add(job.token());
        until = nanos + PAUSE_NANOS;
    }

    /** The one to try again first; null if there is none, or the pause isn't over. */
    @Nullable ClaimedJob due(long nanos) {
        return nanos - until > 0 ? waiting.peek() : null;
    }

    /** The one that is due is tried again. */
    void removeDue() {
        waiting.remove();
    }

    /** Those that wait are not tried again. */
    void clear() {
        waiting.clear();
    }

    int count() {
        return all.size();
    }

    /** A job is settled, or no longer held. */
    void forget(String token) {
        all.remove(token);
    }
}
