package dev.jobs;

import org.jspecify.annotations.Nullable;

/** The base class of the unchecked exceptions that this library throws. */
public class JobsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public JobsException(String message) {
        super(message);
    }

    public JobsException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
