package dev.jobs.engine;

import dev.jobs.redis.Leases.Timing;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The life that this process lives now, and what its last beat told. Thread-safe. */
final class Lease {

    private static final Logger log = LoggerFactory.getLogger(Lease.class);

    private final Supplier<String> ids;
    private final Timing timing;
    private final LongSupplier nanoTime;

    /** No monitor: a virtual thread that waits on one holds its carrier, before JDK 24. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();

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

    /** Redis says that it gave the given life up. Two may hear of it: begins another, unless that was done before. */
    void fenced(Incarnation lost) {
        if (renew(lost)) {
            log.warn(
                    "{} was given up, because it did not beat for too long; it goes on under a new identity",
                    lost.id());
        }
    }

    /** A call of ours came after a later one that we never made: begins another life, unless that was done before. */
    void shared(Incarnation taken) {
        if (renew(taken)) {
            log.warn(
                    "Another process makes calls as {}, as after this one was cloned while it ran; it goes on under a new identity, and the "
                            + "jobs that it held are recovered",
                    taken.id());
        }
    }

    /** Ends the given life, and begins another if it was the current one. Returns whether it was. */
    boolean renew(Incarnation lost) {
        lock.lock();
        try {
            lost.lose();
            boolean wasCurrent = current == lost;
            if (wasCurrent) {
                leader = false;
                current = new Incarnation(ids.get(), timing, nanoTime);
            }
            changed.signalAll();
            return wasCurrent;
        } finally {
            lock.unlock();
        }
    }

    /** A beat was answered. */
    void beaten(Incarnation incarnation, long sent, int liveProcesses, boolean leads) {
        boolean registered = incarnation.isRegistered();
        lock.lock();
        try {
            incarnation.beaten(sent);
            processes = liveProcesses;
            leader = leads;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (!registered) {
            log.info("This process is registered as {}", incarnation.id());
        }
    }

    /**
     * Waits until a job may be started: a lease that may have run out must be fresh again first. An interruption is of no concern: it is
     * meant for a job that runs.
     *
     * @return false if the job is no longer this process's
     */
    boolean awaitFresh(ClaimedJob job) {
        Incarnation incarnation = job.incarnation();
        if (incarnation.isFresh()) {
            return true;
        }
        lock.lock();
        try {
            while (!incarnation.isFresh()) {
                if (incarnation.isLost() || !job.isOurs()) {
                    return false;
                }
                try {
                    changed.await(1, TimeUnit.SECONDS); // not everything that ends this wait is told of
                } catch (InterruptedException e) {
                    // the next look tells whether there is anything left to wait for
                }
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Jobs were taken away from those who wait to start them. */
    void takenAway() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    int processes() {
        return Math.max(1, processes);
    }

    boolean isLeader() {
        return leader;
    }
}
