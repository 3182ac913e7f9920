package dev.jobs;

/** A {@link Job} method or the configuration is invalid; thrown at start, before any job runs. */
public class JobDefinitionException extends JobsException {

    private static final long serialVersionUID = 1L;

    private final String action;

    /**
     * @param message what is wrong and where
     * @param action what to do about it
     */
    public JobDefinitionException(String message, String action) {
        super(message);
        this.action = action;
    }

    /** What to do about it. */
    public String action() {
        return action;
    }
}
