package dev.jobs;

import org.jspecify.annotations.Nullable;

/** A stored job is not a JSON object; the message gives the position of the error and never quotes the text. */
public class InvalidPayloadException extends JobsException {

    private static final long serialVersionUID = 1L;

    public InvalidPayloadException(String message) {
        super(message);
    }

    public InvalidPayloadException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
