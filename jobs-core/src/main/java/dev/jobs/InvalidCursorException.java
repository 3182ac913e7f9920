package dev.jobs;

import org.jspecify.annotations.Nullable;

/**
 * An iterable job can't go on where it was left: what is stored of it can't be read, or leads nowhere in its source. The job fails and is
 * retried; what is stored stays, so that an application that understands it can go on.
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
