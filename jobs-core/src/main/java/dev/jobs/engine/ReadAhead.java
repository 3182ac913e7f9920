package dev.jobs.engine;

import dev.jobs.store.JobClaims;
import java.time.Duration;

/**
 * How many jobs the capsules that share threads take beyond the free ones, so that processors need not wait for
 * Redis while there are more jobs: as many as ended within the last {@link #WINDOW}. Jobs taken early therefore
 * start about as soon as they would elsewhere, and none are taken early where jobs take long.
 *
 * <p>The count fades: after a window without any job, e⁻¹ of it is left. Thread-safe.
 */
final class ReadAhead {

    static final Duration WINDOW = Duration.ofMillis(10);

    /** Three exchanges: the jobs of one run while two others are under way. */
    static final int MOST = 3 * JobClaims.BATCH;

    private double ended;
    private long since;

    /** @param nanos the time, on a clock that only goes forward */
    ReadAhead(long nanos) {
        this.since = nanos;
    }

    synchronized void ended(int jobs, long nanos) {
        ended = Math.min(MOST, ended * Math.exp(-(double) (nanos - since) / WINDOW.toNanos()) + jobs);
        since = nanos;
    }

    synchronized int jobs(long nanos) {
        ended(0, nanos);
        return (int) ended;
    }
}
