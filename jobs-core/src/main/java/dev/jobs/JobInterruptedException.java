package dev.jobs;

/** Thrown by a job that stops because {@link JobContext#isStopping()}: it goes to the back of its queue and is no failure. */
public class JobInterruptedException extends JobsException {

    private static final long serialVersionUID = 1L;

    public JobInterruptedException(String message) {
        super(message);
    }
}
