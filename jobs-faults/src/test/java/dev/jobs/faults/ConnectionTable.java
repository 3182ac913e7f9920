package dev.jobs.faults;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The connection table of a router or load balancer: it forgets a line that is quiet for too long, without notifying
 * either side. Thread-safe.
 */
final class ConnectionTable {

    private final AtomicInteger forgotten = new AtomicInteger();
    private volatile long idleNanos;

    /** @param idle how long a line may be quiet; zero for any time */
    void keepFor(Duration idle) {
        idleNanos = idle.toNanos();
    }

    /** The number of forgotten lines that were used again so far. */
    int forgotten() {
        return forgotten.get();
    }

    /** One more line. */
    Line line() {
        return new Line();
    }

    /** A line, remembered while it is used. */
    final class Line {

        private long last = System.nanoTime();
        private boolean gone;

        /** Called for data on the line. Returns whether the data are passed on. */
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
