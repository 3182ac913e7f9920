package dev.jobs;

import org.jspecify.annotations.Nullable;

/** A job can't be enqueued as given; it was not stored. */
public class InvalidJobException extends JobsException {

    private static final long serialVersionUID = 1L;

    public InvalidJobException(String message) {
        super(message);
    }

    public InvalidJobException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
