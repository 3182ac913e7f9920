package dev.jobs;

/**
 * Wraps the execution of a job. If it doesn't call {@link Chain#proceed()}, the job counts as done; an exception means
 * that the job failed. Called by many threads.
 */
@FunctionalInterface
public interface JobMiddleware {

    /**
     * @param job the job about to run
     * @param next the rest of the chain, which ends with the job's method
     * @throws Exception to fail the job
     */
    void perform(JobContext job, Chain next) throws Exception;

    /** The rest of the chain. */
    @FunctionalInterface
    interface Chain {
        void proceed() throws Exception;
    }
}
