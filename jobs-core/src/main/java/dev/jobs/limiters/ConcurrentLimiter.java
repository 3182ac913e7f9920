package dev.jobs.limiters;

import dev.jobs.JobContext;
import dev.jobs.JobsException;
import java.time.Duration;

/**
 * Limits how many do something at once; made by {@link Limiters#concurrent}. Immutable and thread-safe.
 *
 * <p>A job holds its permit until its block ends, however long that takes; if its process dies, the permit is free once
 * the process is given up ({@code jobs.lease}). It saves load; it is no mutual exclusion, since a process that was
 * given up may still run ({@link JobContext#holdsLease()}). Outside a job nothing tells whether a holder is alive, so a
 * permit needs a time there. Only the thread that runs a job is inside it.
 */
public interface ConcurrentLimiter extends Limiter {

    @Override
    ConcurrentLimiter waitAtMost(Duration wait);

    /**
     * A limiter whose permits end after a time if they are taken outside a job. In a job it makes no difference.
     * Without it, such a caller gets a {@link JobsException}.
     *
     * @param hold 1 ms to 1 day; longer than the block can take, or more may be inside at once
     */
    ConcurrentLimiter holdAtMost(Duration hold);
}
