package dev.jobs;

import org.jspecify.annotations.Nullable;

/** A cron text, or the zone that goes with it, names no times. */
public class InvalidCronException extends InvalidJobException {

    private static final long serialVersionUID = 1L;

    public InvalidCronException(String message) {
        super(message);
    }

    public InvalidCronException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
