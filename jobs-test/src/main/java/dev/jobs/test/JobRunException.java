package dev.jobs.test;

import dev.jobs.JobsException;

/**
 * A job that ran on the test's thread failed. The cause is what it threw; the message also says what becomes of the
 * job. If other jobs failed in the same call, their exceptions are suppressed ones.
 */
public final class JobRunException extends JobsException {

    private static final long serialVersionUID = 1;

    JobRunException(String message, Throwable cause) {
        super(message, cause);
    }
}
