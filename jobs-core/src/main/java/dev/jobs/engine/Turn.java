package dev.jobs.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/**
 * Lets one thread at a time change the state of a fetcher: mostly its own, and for a moment the connection's thread that receives an
 * answer. That thread must not wait, so it leaves its work to the fetcher's thread while that one has the turn. Thread-safe.
 */
final class Turn {

    private final ThreadGuard guard;
    private final String name;
    private final Semaphore free = new Semaphore(1);
    private final Queue<Runnable> left = new ConcurrentLinkedQueue<>();

    /** @param name of the fetcher's thread, which reports a failure */
    Turn(ThreadGuard guard, String name) {
        this.guard = guard;
        this.name = name;
    }

    /** Waits for the turn, on the fetcher's thread. To be {@linkplain #pass() passed} on in any case. */
    void take() throws InterruptedException {
        free.acquire();
    }

    void pass() {
        free.release();
    }

    /** Does what was left, on the thread that has the turn. */
    void doWhatWasLeft() {
        Runnable next;
        while ((next = left.poll()) != null) {
            next.run();
        }
    }

    /** Runs at once, if nobody has the turn. Returns false if it was left to the fetcher's thread, which may have to be woken. */
    boolean runOrLeave(Runnable work) {
        if (!free.tryAcquire()) {
            left.add(work);
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
