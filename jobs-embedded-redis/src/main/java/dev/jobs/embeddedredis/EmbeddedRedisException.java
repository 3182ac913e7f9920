package dev.jobs.embeddedredis;

import org.jspecify.annotations.Nullable;

/** An embedded Redis could not be started; the message says why, with the server's own output, if any. */
public class EmbeddedRedisException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    EmbeddedRedisException(String message) {
        super(message);
    }

    EmbeddedRedisException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
