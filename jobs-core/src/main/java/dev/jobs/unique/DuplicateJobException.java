package dev.jobs.unique;

import dev.jobs.JobsException;

/** A job was not stored, since another one holds the lock of its key; see {@link Unique.OnConflict#ERROR}. */
public class DuplicateJobException extends JobsException {

    private static final long serialVersionUID = 1L;

    private final String holder;

    /** @param holder the jid of the job that holds the lock */
    public DuplicateJobException(String message, String holder) {
        super(message);
        this.holder = holder;
    }

    /** The jid of the job that holds the lock. */
    public String holder() {
        return holder;
    }
}
