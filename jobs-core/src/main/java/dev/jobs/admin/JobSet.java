package dev.jobs.admin;

import dev.jobs.Internal;
import dev.jobs.store.StoredSet;

/** The three sets of jobs. */
public enum JobSet {
    /** Jobs that wait for their time; the score is the time at which they are due. */
    SCHEDULED("scheduled set", StoredSet.SCHEDULE),
    /** Failed jobs that wait for a retry; the score is its time. */
    RETRY("retry set", StoredSet.RETRY),
    /** Jobs that are not retried automatically; the score is the time at which they died. */
    DEAD("dead set", StoredSet.DEAD);

    private final String label;
    private final StoredSet stored;

    JobSet(String label, StoredSet stored) {
        this.label = label;
        this.stored = stored;
    }

    /** For messages. */
    String label() {
        return label;
    }

    @Internal
    public StoredSet stored() {
        return stored;
    }
}
