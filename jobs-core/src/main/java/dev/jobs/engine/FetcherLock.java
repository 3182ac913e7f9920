package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.threads.ThreadGuard;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/**
 * Lets one thread at a time change the state of a fetcher: usually the fetcher's own, and for a moment a connection's
 * thread that receives an answer. That thread must not wait, so it defers its work to the fetcher's thread if the lock
 * is held. Thread-safe.
 */
@Internal
public final class FetcherLock {

    private final ThreadGuard guard;
    private final String name;
    private final IdleWait idleWait;
    private final Semaphore free = new Semaphore(1);
    private final Queue<Runnable> deferred = new ConcurrentLinkedQueue<>();

    /**
     * @param name of the fetcher's thread, under which failures are logged
     * @param idleWait wakes the fetcher's thread when work was deferred
     */
    FetcherLock(ThreadGuard guard, String name, IdleWait idleWait) {
        this.guard = guard;
        this.name = name;
        this.idleWait = idleWait;
    }

    /** Waits for the lock, on the fetcher's thread. */
    void lock() throws InterruptedException {
        free.acquire();
    }

    void unlock() {
        free.release();
    }

    /** Runs deferred work, on the thread that holds the lock. */
    void runDeferred() {
        Runnable next;
        while ((next = deferred.poll()) != null) {
            next.run();
        }
    }

    /** Runs work at once if the lock is free, and otherwise defers it to the fetcher's thread. Never waits. */
    public void runOrDefer(Runnable work) {
        if (!free.tryAcquire()) {
            deferred.add(work);
            idleWait.wake();
            return;
        }
        try {
            guard.run(name, work);
        } finally {
            free.release();
        }
    }
}
