package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.JobDefinitionException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The pools of threads that the engines of one process share, each engine on a Redis of its own: capsules of the same
 * name run no more jobs at once, over all engines, than each of them may alone, and share the threads for them.
 * Thread-safe.
 */
@Internal
public final class ThreadPools {

    /** The suspects that the process holds: a crash caused by one must not bury another of another engine. */
    private final AtomicInteger suspects = new AtomicInteger();

    private final Map<String, ThreadPool> byCapsule = new HashMap<>(); // guarded by this

    /** Pools that no engine uses yet. */
    public ThreadPools() {}

    public AtomicInteger suspects() {
        return suspects;
    }

    /** @throws JobDefinitionException if another engine has a capsule of such a name with another concurrency */
    public synchronized void check(List<CapsuleConfig> capsules) {
        for (CapsuleConfig capsule : capsules) {
            ThreadPool pool = byCapsule.get(capsule.name());
            if (pool != null && pool.concurrency() != capsule.concurrency()) {
                throw new JobDefinitionException(
                        "The engines of one process give capsule '" + capsule.name() + "' the concurrencies "
                                + pool.concurrency() + " and " + capsule.concurrency(),
                        "Give it the same in all of them.");
            }
        }
    }

    /**
     * Gives a capsule its share of the threads.
     *
     * @param wake called when a thread that the capsule waits for may be free
     * @throws JobDefinitionException if another engine has a capsule of that name with another concurrency
     */
    synchronized ThreadPool.Share join(CapsuleConfig capsule, RunContext context, Runnable wake) {
        check(List.of(capsule));
        ThreadPool pool = byCapsule.computeIfAbsent(
                capsule.name(), name -> new ThreadPool(capsule, context.environment(), this::leave));
        return pool.join(context.guard(), wake, context.nanos());
    }

    private synchronized boolean leave(ThreadPool pool) {
        boolean last = pool.left();
        if (last) {
            byCapsule.values().remove(pool);
        }
        return last;
    }
}
