package dev.jobs.embeddedredis;

import java.nio.file.Path;

/**
 * A server program that can be run on this machine.
 *
 * @param program the executable file
 * @param origin where it came from, for people: "from the PATH", "bundled"
 */
record RedisBinary(Path program, String origin) {

    /** Prefers an installed server, because its owner wants to run it and it needs no unpacking. */
    static RedisBinary find() {
        return find(Platform.current(), SearchPath.ofEnvironment());
    }

    static RedisBinary find(Platform platform, SearchPath path) {
        if (!platform.isPosix()) {
            throw new UnsupportedPlatformException(
                    "An embedded Redis cannot run on " + platform + ": it needs a POSIX shell, on Linux or macOS");
        }
        return InstalledBinary.on(path)
                .or(() -> BundledBinary.forPlatform(platform).map(BundledBinary::unpack))
                .orElseThrow(() -> new UnsupportedPlatformException("There is no Redis to embed on " + platform
                        + ": the PATH has no redis-server or valkey-server of version "
                        + InstalledBinary.OLDEST_VERSION + " or later, and no server is bundled for this platform"));
    }

    @Override
    public String toString() {
        return program + " (" + origin + ")";
    }
}
