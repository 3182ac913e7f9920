package dev.jobs.iterations;

import dev.jobs.JobsException;
import org.jspecify.annotations.Nullable;

/**
 * An iterable job can't resume: its stored progress can't be read, or its cursor doesn't fit its source. The job fails
 * and is retried; the stored progress is kept, so that an application that understands it can continue.
 */
public class InvalidCursorException extends JobsException {

    private static final long serialVersionUID = 1L;

    public InvalidCursorException(String message) {
        super(message);
    }

    public InvalidCursorException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
