package dev.jobs;

/**
 * Thrown by a job that can't succeed for a reason of the business, such as a product that must not be sold: the job
 * ends as failed. It is not retried and doesn't go to the dead set; death handlers are not called. In a batch, the
 * message is kept with the job, and the other jobs go on.
 *
 * <pre>{@code
 * if (!sellers.isQualified(product)) {
 *     throw new JobFailedException("The seller is not qualified");
 * }
 * }</pre>
 */
public class JobFailedException extends JobsException {

    private static final long serialVersionUID = 1L;

    /** @param message the reason, for people */
    public JobFailedException(String message) {
        super(message);
    }

    /** @param message the reason, for people */
    public JobFailedException(String message, Throwable cause) {
        super(message, cause);
    }
}
