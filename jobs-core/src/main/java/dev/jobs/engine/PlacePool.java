package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.JobDefinitionException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The places that the engines of one process share, each on a Redis of its own: capsules of the same name run no more
 * jobs at once, over all engines, than each of them may alone, and share the threads for them. Thread-safe.
 */
@Internal
public final class PlacePool {

    /** The suspects that the process holds: a crash caused by one must not bury another of another engine. */
    private final AtomicInteger suspects = new AtomicInteger();

    private final Map<String, Places> byCapsule = new HashMap<>(); // guarded by this

    /** A pool without engines. */
    public PlacePool() {}

    public AtomicInteger suspects() {
        return suspects;
    }

    /** @throws JobDefinitionException if another engine has a capsule of such a name with another concurrency */
    public synchronized void check(List<CapsuleConfig> capsules) {
        for (CapsuleConfig capsule : capsules) {
            Places places = byCapsule.get(capsule.name());
            if (places != null && places.concurrency() != capsule.concurrency()) {
                throw new JobDefinitionException(
                        "The engines of one process give capsule '" + capsule.name() + "' the concurrencies "
                                + places.concurrency() + " and " + capsule.concurrency(),
                        "Give it the same in all of them.");
            }
        }
    }

    /**
     * Gives a capsule its share of the places.
     *
     * @param wake called when a place that the capsule waits for may be free
     * @throws JobDefinitionException if another engine has a capsule of that name with another concurrency
     */
    synchronized PlaceShare join(CapsuleConfig capsule, RunContext context, Runnable wake) {
        check(List.of(capsule));
        Places places = byCapsule.computeIfAbsent(
                capsule.name(), name -> new Places(name, capsule.concurrency(), context.environment()));
        PlaceShare share = new PlaceShare(places, context.guard(), wake, this::leave, context.nanos());
        places.add(share);
        return share;
    }

    private synchronized boolean leave(Places places) {
        boolean last = places.left();
        if (last) {
            byCapsule.values().remove(places);
        }
        return last;
    }
}
