package dev.jobs.engine;

import java.time.Duration;

/**
 * How many jobs a capsule takes beyond its free places, so that nobody waits for Redis while it has more: as many as it ended within the last
 * {@link #WINDOW}. What is taken early so starts about as soon as it would elsewhere, and where jobs take long there is nothing of it.
 *
 * <p>The count fades: after a window without any job e⁻¹ of it is left. Confined to one thread.
 */
final class ReadAhead {

    static final Duration WINDOW = Duration.ofMillis(10);

    /** Two exchanges: one is worked on while the other one is under way. */
    static final int MOST = 200;

    private double ended;
    private long since;

    /** @param nanos the time, on a clock that only goes forward */
    ReadAhead(long nanos) {
        this.since = nanos;
    }

    void ended(int jobs, long nanos) {
        ended = Math.min(MOST, ended * Math.exp(-(double) (nanos - since) / WINDOW.toNanos()) + jobs);
        since = nanos;
    }

    int jobs(long nanos) {
        ended(0, nanos);
        return (int) ended;
    }
}
