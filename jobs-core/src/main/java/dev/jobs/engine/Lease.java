package dev.jobs.engine;

import dev.jobs.redis.Leases.Timing;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The life that this process lives now, and what its last beat told. Thread-safe. */
final class Lease {

    private final Supplier<String> ids;
    private final Timing timing;
    private final LongSupplier nanoTime;
    private volatile Incarnation current;
    private volatile int processes = 1;
    private volatile boolean leader;

    /** @param ids gives an identity that was never used before */
    Lease(Supplier<String> ids, Timing timing, LongSupplier nanoTime) {
        this.ids = ids;
        this.timing = timing;
        this.nanoTime = nanoTime;
        this.current = new Incarnation(ids.get(), timing, nanoTime);
    }

    Incarnation current() {
        return current;
    }

    Timing timing() {
        return timing;
    }

    /** The given life was given up: begins another, unless someone else has noticed before. */
    synchronized void renew(Incarnation lost) {
        lost.lose();
        if (current == lost) {
            leader = false;
            current = new Incarnation(ids.get(), timing, nanoTime);
        }
        notifyAll();
    }

    /** A beat was answered. */
    synchronized void beaten(Incarnation incarnation, long sent, int liveProcesses, boolean leads) {
        incarnation.beaten(sent);
        processes = liveProcesses;
        leader = leads;
        notifyAll();
    }

    /**
     * Waits until a job may be started: a lease that may have run out must be fresh again first.
     *
     * @return false if the job is no longer this process's
     */
    boolean awaitFresh(ClaimedJob job) throws InterruptedException {
        Incarnation incarnation = job.incarnation();
        if (incarnation.isFresh()) {
            return true;
        }
        synchronized (this) {
            while (!incarnation.isFresh()) {
                if (incarnation.isLost() || !job.isOurs()) {
                    return false;
                }
                wait(TimeUnit.SECONDS.toMillis(1)); // a job that is handed back meanwhile notifies nobody
            }
            return true;
        }
    }

    int processes() {
        return Math.max(1, processes);
    }

    boolean isLeader() {
        return leader;
    }
}
