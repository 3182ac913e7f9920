package dev.jobs.embeddedredis;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A server program bundled as a resource on the class path. */
final class BundledBinary {

    private static final String VERSION = "7.0.15";

    private final String name;
    private final URL resource;

    private BundledBinary(String name, URL resource) {
        this.name = name;
        this.resource = resource;
    }

    static Optional<BundledBinary> forPlatform(Platform platform) {
        String name = "redis-server-" + VERSION + "-" + platform.system() + "-" + platform.processor();
        return Optional.ofNullable(BundledBinary.class.getResource("/" + name))
                .map(resource -> new BundledBinary(name, resource));
    }

    /** Unpacks into the user's cache, once per user, or into a temporary directory if there is no cache. */
    RedisBinary unpack() {
        try {
            return unpackTo(cacheDirectory());
        } catch (IOException ex) {
            return unpackToTemporaryDirectory(ex);
        }
    }

    private RedisBinary unpackToTemporaryDirectory(IOException why) {
        try {
            Path directory = Files.createTempDirectory("jobs-embedded-redis-");
            RedisBinary binary = unpackTo(directory);
            directory.toFile().deleteOnExit(); // the JVM deletes in reverse order: the program first
            binary.program().toFile().deleteOnExit();
            return binary;
        } catch (IOException ex) {
            ex.addSuppressed(why);
            throw new EmbeddedRedisException("Could not unpack " + name + ": " + ex, ex);
        }
    }

    /**
     * Several JVMs may do this at once: each writes its own file and moves it into place, so that the final name always
     * refers to a complete program.
     */
    RedisBinary unpackTo(Path directory) throws IOException {
        Path program = directory.resolve(name);
        URLConnection connection = resource.openConnection();
        try (InputStream content = connection.getInputStream()) {
            if (!isWhole(program, connection.getContentLengthLong())) {
                Files.createDirectories(directory);
                Path copy = Files.createTempFile(directory, name, ".part");
                try {
                    Files.copy(content, copy, StandardCopyOption.REPLACE_EXISTING);
                    Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rwx------"));
                    moveInto(copy, program);
                } finally {
                    Files.deleteIfExists(copy);
                }
            }
        }
        return new RedisBinary(program, "bundled");
    }

    private static boolean isWhole(Path program, long size) throws IOException {
        return Files.isExecutable(program) && Files.size(program) == size;
    }

    private static void moveInto(Path copy, Path program) throws IOException {
        try {
            Files.move(copy, program, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException ex) {
            Files.move(copy, program, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Never a shared directory such as /tmp: another user could place a program there that this user would run. */
    private static Path cacheDirectory() throws IOException {
        String xdg = System.getenv("XDG_CACHE_HOME");
        if (isAbsolute(xdg)) {
            return Path.of(xdg, "jobs-embedded-redis");
        }
        String home = System.getProperty("user.home");
        if (!isAbsolute(home) || !Files.isDirectory(Path.of(home))) {
            throw new IOException("The user has no home directory: " + home);
        }
        return Path.of(home, ".cache", "jobs-embedded-redis");
    }

    private static boolean isAbsolute(@Nullable String path) {
        return path != null && Path.of(path).isAbsolute();
    }
}
