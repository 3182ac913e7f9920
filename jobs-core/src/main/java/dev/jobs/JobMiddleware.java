package dev.jobs;

/**
 * Stands around performing a job. Not calling on means that the job is done; an exception means that it failed. Called from many threads.
 */
@FunctionalInterface
public interface JobMiddleware {

    /**
     * @param job the job about to run
     * @param next the rest of the chain; at its end the job's method is called
     */
    void perform(JobContext job, Chain next) throws Exception;

    /** The rest of the chain. */
    @FunctionalInterface
    interface Chain {
        void proceed() throws Exception;
    }
}
