package dev.jobs.codec;

import dev.jobs.JobsException;
import org.jspecify.annotations.Nullable;

/** The stored arguments don't fit the parameters of the job's method. */
public class ArgumentException extends JobsException {

    private static final long serialVersionUID = 1L;

    public ArgumentException(String message) {
        super(message);
    }

    public ArgumentException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
