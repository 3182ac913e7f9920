package dev.jobs;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Wraps the storing of a job: when it is enqueued, and again when a scheduled or retried job becomes due.
 *
 * <p>May return a different payload, or null to keep the job from being stored. At enqueue, an exception reaches the
 * caller; when a job becomes due, an exception postpones the job. Called by many threads.
 */
@FunctionalInterface
public interface EnqueueMiddleware {

    /**
     * @param payload the job as the middleware before this one passed it on
     * @param next the rest of the chain
     * @return the payload to store, usually the result of {@code next}, or null to store nothing
     */
    @Nullable Payload enqueue(Payload payload, Chain next);

    /**
     * A call of a client begins, which enqueues one job, many, or a batch. Not called when a due job moves to its queue
     * or a recurring job fires.
     *
     * @param batch the id of the batch that the call fills; null outside batches
     * @return what follows the call
     */
    default EnqueueCall begin(@Nullable String batch) {
        return EnqueueCall.NONE;
    }

    /** The rest of the chain. */
    @FunctionalInterface
    interface Chain {
        @Nullable Payload proceed(Payload payload);
    }

    /** Passes a payload through a list of middleware, the first one outermost. */
    static @Nullable Payload apply(List<? extends EnqueueMiddleware> middleware, Payload payload) {
        if (middleware.isEmpty()) {
            return payload;
        }
        List<? extends EnqueueMiddleware> rest = middleware.subList(1, middleware.size());
        return middleware.get(0).enqueue(payload, inner -> apply(rest, inner));
    }
}
