package dev.jobs.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/**
 * Lets one thread at a time change the state of a fetcher: mostly its own, and for a moment the connection's thread that receives an
 * answer. That thread must not wait, so it leaves its work to the fetcher's thread while that one has the lock. Thread-safe.
 */
final class FetcherLock {

    private final ThreadGuard guard;
    private final String name;
    private final Semaphore free = new Semaphore(1);
    private final Queue<Runnable> deferred = new ConcurrentLinkedQueue<>();

    /** @param name of the fetcher's thread, which reports a failure */
    FetcherLock(ThreadGuard guard, String name) {
        this.guard = guard;
        this.name = name;
    }

    /** Waits for the lock, on the fetcher's thread. To be {@linkplain #unlock() passed} on in any case. */
    void lock() throws InterruptedException {
        free.acquire();
    }

    void unlock() {
        free.release();
    }

    /** Does what was left, on the thread that has the lock. */
    void runDeferred() {
        Runnable next;
        while ((next = deferred.poll()) != null) {
            next.run();
        }
    }

    /** Runs at once, if nobody has the lock. Returns false if it was left to the fetcher's thread, which may have to be woken. */
    boolean runOrDefer(Runnable work) {
        if (!free.tryAcquire()) {
            deferred.add(work);
            return false;
        }
        try {
            guard.run(name, work);
        } finally {
            free.release();
        }
        return true;
    }
}
