package dev.jobs.engine;

import dev.jobs.redis.Leases.Timing;
import java.util.concurrent.TimeUnit;
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
    synchronized void fenced(Incarnation lost) {
        if (renew(lost)) {
            log.warn(
                    "{} was given up, because it did not beat for too long; it goes on under a new identity",
                    lost.id());
        }
    }

    /** A call of ours came after a later one that we never made: begins another life, unless that was done before. */
    synchronized void shared(Incarnation taken) {
        if (renew(taken)) {
            log.warn(
                    "Another process makes calls as {}, as after this one was cloned while it ran; it goes on under a new identity, and the "
                            + "jobs that it held are recovered",
                    taken.id());
        }
    }

    /** Ends the given life, and begins another if it was the current one. Returns whether it was. */
    synchronized boolean renew(Incarnation lost) {
        lost.lose();
        boolean wasCurrent = current == lost;
        if (wasCurrent) {
            leader = false;
            current = new Incarnation(ids.get(), timing, nanoTime);
        }
        notifyAll();
        return wasCurrent;
    }

    /** A beat was answered. */
    synchronized void beaten(Incarnation incarnation, long sent, int liveProcesses, boolean leads) {
        if (!incarnation.isRegistered()) {
            log.info("This process is registered as {}", incarnation.id());
        }
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
