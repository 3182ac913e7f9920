package dev.jobs.admin;

import dev.jobs.redis.JobSets;

/** The three sets that jobs wait or rest in. */
public enum JobSet {
    /** Jobs that wait for their time; the score is when they are due. */
    SCHEDULED("scheduled set", JobSets.JobSet.SCHEDULE),
    /** Failed jobs that will be tried again; the score is when. */
    RETRY("retry set", JobSets.JobSet.RETRY),
    /** Jobs that will not be tried again by themselves; the score is when they died. */
    DEAD("dead set", JobSets.JobSet.DEAD);

    private final String label;
    private final JobSets.JobSet stored;

    JobSet(String label, JobSets.JobSet stored) {
        this.label = label;
        this.stored = stored;
    }

    /** As people say it, for messages. */
    String label() {
        return label;
    }

    JobSets.JobSet stored() {
        return stored;
    }
}
