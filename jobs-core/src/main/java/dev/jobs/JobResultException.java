package dev.jobs;

/** A job has no value for its caller: it has not succeeded, or the value could not be kept or read. */
public final class JobResultException extends JobsException {

    private static final long serialVersionUID = 1L;

    private final String jid;
    private final JobResult.State state;

    JobResultException(JobResult<?> result) {
        super("There is no value. " + result);
        this.jid = result.jid();
        this.state = result.state();
    }

    /** The job's id. */
    public String jid() {
        return jid;
    }

    /** How the job ended, or that it has not. */
    public JobResult.State state() {
        return state;
    }
}
