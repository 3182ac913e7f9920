package dev.jobs;

/**
 * Thrown by a job that stops because of {@link JobContext#isStopping()}: the job goes to the back of its queue and
 * doesn't count as failed. Unlike {@link InterruptedException}, it is thrown by the job itself.
 */
public class JobInterruptedException extends JobsException {

    private static final long serialVersionUID = 1L;

    public JobInterruptedException(String message) {
        super(message);
    }
}
