package dev.jobs;

import org.jspecify.annotations.Nullable;

/** What was read as a job is not a JSON object; the message says where it breaks and never quotes it. */
public class InvalidPayloadException extends JobsException {

    private static final long serialVersionUID = 1L;

    public InvalidPayloadException(String message) {
        super(message);
    }

    public InvalidPayloadException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
