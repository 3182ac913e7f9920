package dev.jobs.engine;

import dev.jobs.Internal;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The permit to run a suspect, a job that outlived its worker so often that the next time buries it. There is one
 * permit per process: if two suspects ran together, a crash caused by one would bury the other too. And there is none
 * before the process has lived for a lease: where processes die young, each death would bury a suspect that didn't
 * cause it. Thread-safe.
 */
@Internal
public final class SuspectPermit {

    private final int recoveries;
    private final long youthNanos;
    private final LongSupplier nanoTime;
    private final long born;
    private final AtomicInteger held;

    // Guarded by this.
    private int own;
    private boolean ended;

    /**
     * @param maxRecoveries the number of recoveries that buries a job
     * @param youth for how long a new process runs no suspect
     * @param held how many suspects the process holds, over all its engines
     */
    SuspectPermit(int maxRecoveries, Duration youth, LongSupplier nanoTime, AtomicInteger held) {
        this.held = held;
        this.recoveries = threshold(maxRecoveries);
        this.youthNanos = youth.toNanos();
        this.nanoTime = nanoTime;
        this.born = nanoTime.getAsLong();
    }

    /** The number of recoveries that makes a job a suspect. */
    public static int threshold(int maxRecoveries) {
        return Math.max(1, maxRecoveries - 1);
    }

    boolean isSuspect(int recoveries) {
        return recoveries >= this.recoveries;
    }

    /** Takes the permit, if it is free. */
    synchronized boolean tryAcquire() {
        boolean free = !ended && isGrown() && held.compareAndSet(0, 1);
        own += free ? 1 : 0;
        return free;
    }

    /** Counts a suspect that the process already holds. Returns whether it may run: only if it is the only one. */
    synchronized boolean admit() {
        if (ended) {
            return false;
        }
        own++;
        return held.getAndIncrement() == 0 && isGrown();
    }

    private boolean isGrown() {
        return nanoTime.getAsLong() - born >= youthNanos;
    }

    /** A suspect is gone. */
    synchronized void release() {
        if (own > 0) { // an exchange may be given up after the end
            own--;
            held.decrementAndGet();
        }
    }

    /** The engine has ended; others take over the suspects that it still holds. */
    public synchronized void end() {
        ended = true;
        held.addAndGet(-own);
        own = 0;
    }
}
