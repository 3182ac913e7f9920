package dev.jobs.limits;

import dev.jobs.Internal;
import dev.jobs.admin.JobRecord;

/** A job that is parked because a limit is full. Immutable. */
public final class LimitedJob {

    private final String limit;
    private final LimitStates.Waiting stored;
    private final JobRecord job;

    LimitedJob(String limit, LimitStates.Waiting stored) {
        this.limit = limit;
        this.stored = stored;
        this.job = JobRecord.inQueue(stored.queue(), stored.payload());
    }

    /** The name of the limit. */
    public String limit() {
        return limit;
    }

    /** Its key there. */
    public String key() {
        return stored.key();
    }

    /** The job; its queue is the one to which it goes back. */
    public JobRecord job() {
        return job;
    }

    /** Finds the job again among those of its key while it is parked there: {@link LimitsAdmin#findAt}. */
    public String address() {
        return stored.time() + "_" + job.digest();
    }

    @Internal
    public LimitStates.Waiting stored() {
        return stored;
    }
}
