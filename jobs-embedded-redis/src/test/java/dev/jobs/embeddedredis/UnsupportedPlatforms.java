package dev.jobs.embeddedredis;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** The exception of a platform without a server, on any machine. */
public final class UnsupportedPlatforms {

    private UnsupportedPlatforms() {}

    public static UnsupportedPlatformException windows() {
        return catchThrowableOfType(
                UnsupportedPlatformException.class,
                () -> RedisBinary.find(Platform.of("Windows 11", "amd64"), new SearchPath("")));
    }
}
