package dev.jobs.codec;

import dev.jobs.Internal;
import org.jspecify.annotations.Nullable;

/**
 * A text is not JSON, or a value has no JSON form; the message is a sentence for the caller.
 *
 * <p>It is checked because this package knows nothing of jobs: each caller has to say what it means for a job.
 */
@Internal
public final class JsonException extends Exception {

    private static final long serialVersionUID = 1L;

    JsonException(String message) {
        super(message);
    }

    JsonException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
