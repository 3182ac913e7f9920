package dev.jobs.admin;

import dev.jobs.Internal;
import dev.jobs.store.JobSets;

/** The three sets of jobs. */
public enum JobSet {
    /** Jobs that wait for their time; the score is the time at which they are due. */
    SCHEDULED("scheduled set", JobSets.JobSet.SCHEDULE),
    /** Failed jobs that wait for a retry; the score is its time. */
    RETRY("retry set", JobSets.JobSet.RETRY),
    /** Jobs that are not retried automatically; the score is the time at which they died. */
    DEAD("dead set", JobSets.JobSet.DEAD);

    private final String label;
    private final JobSets.JobSet stored;

    JobSet(String label, JobSets.JobSet stored) {
        this.label = label;
        this.stored = stored;
    }

    /** For messages. */
    String label() {
        return label;
    }

    @Internal
    public JobSets.JobSet stored() {
        return stored;
    }
}
