package dev.jobs.faults;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** What a router or load balancer knows of the lines through it: one that is quiet for too long it forgets, and tells neither side. Thread-safe. */
final class Memory {

    private final AtomicInteger forgotten = new AtomicInteger();
    private volatile long idleNanos;

    /** @param idle how long a line may be quiet; zero for as long as it likes */
    void keepFor(Duration idle) {
        idleNanos = idle.toNanos();
    }

    /** How many lines were forgotten and used again so far. */
    int forgotten() {
        return forgotten.get();
    }

    /** One more line. */
    Line line() {
        return new Line();
    }

    /** Remembered as long as it is used. */
    final class Line {

        private long last = System.nanoTime();
        private boolean gone;

        /** Something comes along the line. Returns whether it goes any further. */
        synchronized boolean isKnown() {
            long now = System.nanoTime();
            if (!gone && idleNanos > 0 && now - last > idleNanos) {
                gone = true;
                forgotten.incrementAndGet();
            }
            last = now;
            return !gone;
        }
    }
}
