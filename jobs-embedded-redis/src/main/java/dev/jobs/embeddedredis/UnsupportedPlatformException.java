package dev.jobs.embeddedredis;

/** This machine has no usable installed Redis, and none is bundled for it. */
public final class UnsupportedPlatformException extends EmbeddedRedisException {

    private static final long serialVersionUID = 1L;

    UnsupportedPlatformException(String message) {
        super(message);
    }
}
