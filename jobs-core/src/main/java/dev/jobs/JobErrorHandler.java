package dev.jobs;

import org.jspecify.annotations.Nullable;

/** Hears of everything that went wrong around a job, retried or not. An exception is logged and ignored. Called from many threads. */
@FunctionalInterface
public interface JobErrorHandler {

    /**
     * @param error what was thrown
     * @param context what was going on, in a few words
     * @param payload the job, or null where the stored text is no JSON object
     */
    void failed(Throwable error, String context, @Nullable Payload payload);
}
