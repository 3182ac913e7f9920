package dev.jobs;

import org.jspecify.annotations.Nullable;

/**
 * Called for every error around a job, whether the job is retried or not. An exception is logged and ignored. Called
 * by many threads.
 *
 * <p>Neither the payload nor the error, whose message may quote an argument, is masked as {@link Masked} asks for:
 * {@link ArgumentMasking}, which is a bean, masks both for logs.
 */
@FunctionalInterface
public interface JobErrorHandler {

    /**
     * @param error the exception
     * @param context what happened, in a few words
     * @param payload the job, or null if the stored text is not a JSON object
     */
    void failed(Throwable error, String context, @Nullable Payload payload);
}
