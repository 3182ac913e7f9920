package dev.jobs.leases;

import dev.jobs.Internal;
import dev.jobs.leases.ProcessLeases.Alive;
import dev.jobs.leases.ProcessLeases.Timing;
import java.time.Instant;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The current incarnation of this process, and the result of its last beat. Thread-safe. */
@Internal
public final class Lease {

    private static final Logger log = LoggerFactory.getLogger(Lease.class);

    private final Supplier<String> ids;
    private final Timing timing;
    private final LongSupplier nanoTime;

    /** Not a monitor: before JDK 24, a virtual thread that waits on one pins its carrier. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();

    private volatile Incarnation current;
    private volatile int processes = 1;
    private volatile boolean leader;
    private volatile Set<String> roles = Set.of();

    /** By the last beat; null before the first. */
    private volatile @Nullable ServerTime serverTime;

    // Guarded by the lock.
    /** Since when the data exist that the last beat found. */
    private String since = "";

    private @Nullable Loss loss;

    /** Incarnations that this process had, of whose jobs maybe no other process knows. */
    private final Queue<String> former = new ConcurrentLinkedQueue<>();

    /** What Redis' clock said, and when that was known here. */
    private record ServerTime(Instant at, long nanos) {}

    /**
     * An incarnation that Redis no longer knows, until the reason is known.
     *
     * @param beatInTime whether it beat in time, so that it can't have been given up
     * @param since since when the data existed in which it was registered
     */
    private record Loss(String id, boolean beatInTime, String since) {}

    /** @param ids returns an identity that was never used before */
    public Lease(Supplier<String> ids, Timing timing, LongSupplier nanoTime) {
        this.ids = ids;
        this.timing = timing;
        this.nanoTime = nanoTime;
        this.current = new Incarnation(ids.get(), timing, nanoTime);
    }

    public Incarnation current() {
        return current;
    }

    public Timing timing() {
        return timing;
    }

    /**
     * Redis no longer knows the given incarnation. Begins another one, unless a thread that noticed earlier has done
     * so.
     */
    public void fenced(Incarnation lost) {
        lock.lock();
        try {
            Loss found = new Loss(lost.id(), lost.holdsLease(), since);
            if (renew(lost)) {
                loss = found;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Redis has seen a call of this incarnation that this process didn't make. Begins another one, unless that was done
     * before.
     */
    public void cloned(Incarnation taken) {
        if (renew(taken)) {
            log.warn(
                    "Another process makes calls as {}: this one was probably cloned while it ran. It continues under a new identity, and the "
                            + "jobs that it held are recovered",
                    taken.id());
        }
    }

    /** Ends the given incarnation, and begins another one if it was the current one. Returns whether it was. */
    public boolean renew(Incarnation lost) {
        lock.lock();
        try {
            lost.lose();
            boolean wasCurrent = current == lost;
            if (wasCurrent) {
                if (lost.isRegistered()) {
                    former.add(lost.id());
                }
                leader = false;
                roles = Set.of();
                current = new Incarnation(ids.get(), timing, nanoTime);
            }
            changed.signalAll();
            return wasCurrent;
        } finally {
            lock.unlock();
        }
    }

    /** A beat was answered. */
    public void beaten(Incarnation incarnation, long sent, Alive answer) {
        Loss before = null;
        boolean registered = incarnation.isRegistered();
        lock.lock();
        try {
            incarnation.beaten(sent);
            since = answer.since();
            processes = answer.processes();
            leader = answer.leader().equals(incarnation.id());
            roles = answer.roles();
            serverTime = new ServerTime(answer.serverTime(), nanoTime.getAsLong());
            if (!registered) {
                before = loss;
                loss = null;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (before != null) {
            logLoss(before, answer.since(), incarnation.id());
        } else if (!registered) {
            log.info("This process is registered as {}", incarnation.id());
        }
    }

    private static void logLoss(Loss loss, String since, String id) {
        if (!loss.since().equals(since)) {
            log.warn(
                    "Redis lost its data, as by FLUSHALL or a restart without them: the jobs that {} held are no longer stored. This "
                            + "process continues as {}",
                    loss.id(),
                    id);
        } else if (loss.beatInTime()) {
            log.warn(
                    "Redis no longer knows {}, although it beat in time: data were lost, as by a failover or an older copy, or removed by "
                            + "hand. This process continues as {}",
                    loss.id(),
                    id);
        } else {
            log.warn(
                    "{} was given up, because it did not beat for too long: its jobs run elsewhere. This process continues as {}",
                    loss.id(),
                    id);
        }
    }

    /**
     * Waits until a job may be started, because the lease may have run out and must be fresh again first. Ignores
     * interruptions, which are meant for running jobs.
     *
     * @param isOurs whether this process still holds the job
     * @return false if it no longer does
     */
    public boolean awaitFresh(Incarnation incarnation, BooleanSupplier isOurs) {
        if (incarnation.isFresh()) {
            return true;
        }
        lock.lock();
        try {
            while (!incarnation.isFresh()) {
                if (incarnation.isLost() || !isOurs.getAsBoolean()) {
                    return false;
                }
                try {
                    changed.await(1, TimeUnit.SECONDS); // not every reason to stop waiting is signalled
                } catch (InterruptedException e) {
                    // the next check decides whether to go on waiting
                }
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Jobs were taken away from processors that wait to start them. */
    public void takenAway() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The oldest former incarnation that was not {@linkplain #ended ended}; null if there is none. */
    @Nullable public String former() {
        return former.peek();
    }

    /** The jobs of a former incarnation are in good hands. */
    public void ended(String incarnation) {
        former.remove(incarnation);
    }

    public int processes() {
        return Math.max(1, processes);
    }

    /** The time by Redis' clock, as far as the last beat tells; the given time before the first one. */
    public Instant serverTime(Instant otherwise) {
        ServerTime known = serverTime;
        return known == null ? otherwise : known.at().plusNanos(nanoTime.getAsLong() - known.nanos());
    }

    public boolean isLeader() {
        return leader;
    }

    /** Whether this process is the one that has a role. */
    public boolean has(String role) {
        return roles.contains(role);
    }
}
