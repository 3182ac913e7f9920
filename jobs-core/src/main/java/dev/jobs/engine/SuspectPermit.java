package dev.jobs.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Lets one suspect at a time into the process: a job that outlived its worker so often that one more time buries it. If two ran together,
 * the crash that one of them causes would bury the other too. And none before the process has lived for a lease: where processes die
 * young, each death would bury a suspect that had no part in it. Thread-safe.
 */
final class SuspectPermit {

    private final int recoveries;
    private final long youthNanos;
    private final LongSupplier nanoTime;
    private final long born;
    private final AtomicInteger inside = new AtomicInteger();

    /**
     * @param maxRecoveries the number of recoveries that buries a job
     * @param youth how long a process takes none
     */
    SuspectPermit(int maxRecoveries, Duration youth, LongSupplier nanoTime) {
        this.recoveries = threshold(maxRecoveries);
        this.youthNanos = youth.toNanos();
        this.nanoTime = nanoTime;
        this.born = nanoTime.getAsLong();
    }

    /** From how many recoveries on a job is a suspect. */
    static int threshold(int maxRecoveries) {
        return Math.max(1, maxRecoveries - 1);
    }

    boolean isSuspect(int recoveries) {
        return recoveries >= this.recoveries;
    }

    /** Takes the only place, if it is free. */
    boolean tryAcquire() {
        return isGrown() && inside.compareAndSet(0, 1);
    }

    /** Lets one in that is here already. Returns whether it may stay: only if it is the only one. */
    boolean admit() {
        return inside.getAndIncrement() == 0 && isGrown();
    }

    private boolean isGrown() {
        return nanoTime.getAsLong() - born >= youthNanos;
    }

    /** One is gone. */
    void release() {
        inside.decrementAndGet();
    }
}
