package dev.jobs.engine;

import dev.jobs.redis.ProcessLeases.Alive;
import dev.jobs.redis.ProcessLeases.Timing;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
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

    // Guarded by the lock.
    /** Since when the data are there that the last beat found. */
    private String since = "";

    private @Nullable Loss loss;

    /**
     * A life that Redis ended, until it is known why.
     *
     * @param beatInTime whether it can't have been given up for its silence
     * @param since since when the data were there that it was registered in
     */
    private record Loss(String id, boolean beatInTime, String since) {}

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

    /** Redis doesn't know the given life any more. Two may hear of it: begins another, unless that was done before. */
    void fenced(Incarnation lost) {
        lock.lock();
        try {
            Loss told = new Loss(lost.id(), lost.holdsLease(), since);
            if (renew(lost)) {
                loss = told;
            }
        } finally {
            lock.unlock();
        }
    }

    /** A call of ours came after a later one that we never made: begins another life, unless that was done before. */
    void cloned(Incarnation taken) {
        if (renew(taken)) {
            log.warn(
                    "Another process makes calls as {}: this one was probably cloned while it ran. It goes on under a new identity, and the "
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
    void beaten(Incarnation incarnation, long sent, Alive answer) {
        Loss before = null;
        boolean registered = incarnation.isRegistered();
        lock.lock();
        try {
            incarnation.beaten(sent);
            since = answer.since();
            processes = answer.processes();
            leader = answer.leader().equals(incarnation.id());
            if (!registered) {
                before = loss;
                loss = null;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (before != null) {
            tell(before, answer.since(), incarnation.id());
        } else if (!registered) {
            log.info("This process is registered as {}", incarnation.id());
        }
    }

    private static void tell(Loss loss, String since, String id) {
        if (!loss.since().equals(since)) {
            log.warn(
                    "Redis lost its data, as by FLUSHALL or a restart without them: the jobs that {} held are no longer stored. This "
                            + "process goes on as {}",
                    loss.id(),
                    id);
        } else if (loss.beatInTime()) {
            log.warn(
                    "Redis no longer knows {}, although it beat in time: data were lost, as by a failover or an older copy, or removed by "
                            + "hand. This process goes on as {}",
                    loss.id(),
                    id);
        } else {
            log.warn(
                    "{} was given up, because it did not beat for too long: its jobs run elsewhere. This process goes on as {}",
                    loss.id(),
                    id);
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
