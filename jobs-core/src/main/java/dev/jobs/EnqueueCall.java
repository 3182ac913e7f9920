package dev.jobs;

import org.jspecify.annotations.Nullable;

/**
 * One call of a client that enqueues jobs, as an {@link EnqueueMiddleware} follows it: from the first job to the answer
 * of Redis. Used by one thread at a time. An exception is logged and ignored.
 */
public interface EnqueueCall {

    /** Follows nothing. */
    EnqueueCall NONE = new EnqueueCall() {};

    /**
     * Adds to a job what it takes along from its caller. Comes before all middleware, once for each job of the call,
     * and also for the callbacks of a batch. Middleware alone sees a job again when it becomes due.
     *
     * @return the payload to enqueue
     */
    default Payload add(Payload draft) {
        return draft;
    }

    /**
     * The call ends.
     *
     * @param failure what the caller gets thrown; null if nothing
     */
    default void end(@Nullable Throwable failure) {}
}
