package dev.jobs.embeddedredis;

/** This machine has no Redis of its own that can be used, and none is bundled for it. */
public final class UnsupportedPlatformException extends EmbeddedRedisException {

    private static final long serialVersionUID = 1L;

    UnsupportedPlatformException(String message) {
        super(message);
    }
}
