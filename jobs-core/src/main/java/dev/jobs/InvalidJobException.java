package dev.jobs;

import org.jspecify.annotations.Nullable;

/** What was given to enqueue can't be stored as a job; nothing was stored. */
public class InvalidJobException extends JobsException {

    private static final long serialVersionUID = 1L;

    public InvalidJobException(String message) {
        super(message);
    }

    public InvalidJobException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
