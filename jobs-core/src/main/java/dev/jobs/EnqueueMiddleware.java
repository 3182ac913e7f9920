package dev.jobs;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stands around putting a job into Redis: at enqueue, and once more when a scheduled or retried job becomes due.
 *
 * <p>May return another payload than it was given, or null to keep the job from being stored. An exception reaches the caller of enqueue;
 * when a job becomes due it postpones the job. Called from many threads.
 */
@FunctionalInterface
public interface EnqueueMiddleware {

    /**
     * @param payload the job so far
     * @param next the rest of the chain
     * @return what to store, usually what {@code next} returned, or null to store nothing
     */
    @Nullable Payload enqueue(Payload payload, Chain next);

    /** The rest of the chain. */
    @FunctionalInterface
    interface Chain {
        @Nullable Payload proceed(Payload payload);
    }

    /** Runs a payload through a list of middleware, first one outermost. */
    static @Nullable Payload apply(List<? extends EnqueueMiddleware> middleware, Payload payload) {
        if (middleware.isEmpty()) {
            return payload;
        }
        List<? extends EnqueueMiddleware> rest = middleware.subList(1, middleware.size());
        return middleware.get(0).enqueue(payload, inner -> apply(rest, inner));
    }
}
