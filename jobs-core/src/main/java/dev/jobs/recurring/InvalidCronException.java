package dev.jobs.recurring;

import dev.jobs.InvalidJobException;
import org.jspecify.annotations.Nullable;

/** A cron text or its time zone is invalid, or the text names a day that never occurs. */
public class InvalidCronException extends InvalidJobException {

    private static final long serialVersionUID = 1L;

    public InvalidCronException(String message) {
        super(message);
    }

    public InvalidCronException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
