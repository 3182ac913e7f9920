package dev.jobs.codec;

import dev.jobs.Internal;
import org.jspecify.annotations.Nullable;

/** The stored arguments don't fit the parameters of the job's method, or JSON can't carry a parameter. */
@Internal
public final class ArgumentException extends Exception {

    private static final long serialVersionUID = 1L;

    public ArgumentException(String message) {
        super(message);
    }

    public ArgumentException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
