package dev.jobs.embeddedredis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Starts a server and waits until it answers. */
final class Launcher {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration PAUSE = Duration.ofMillis(5);

    private final RedisBinary binary;
    private final @Nullable Path dataDirectory;
    private final @Nullable String password;
    private final List<String> options;

    Launcher(RedisBinary binary, @Nullable Path dataDirectory, @Nullable String password, List<String> options) {
        this.binary = binary;
        this.dataDirectory = dataDirectory;
        this.password = password;
        this.options = List.copyOf(options);
    }

    EmbeddedRedis launch(PortChoice ports) {
        for (int attempt = 1; ; attempt++) {
            try {
                return launch(ports.next().getAsInt());
            } catch (PortTakenException ex) {
                if (attempt >= ports.attempts()) {
                    throw ex;
                }
            }
        }
    }

    private EmbeddedRedis launch(int port) {
        Path directory = createDirectory();
        try {
            writeConfiguration(directory);
            Watchdog watchdog = Watchdog.start(directory, command(port, directory));
            try {
                return new EmbeddedRedis(binary, port, password, awaitServer(watchdog, port), watchdog);
            } catch (RuntimeException ex) {
                watchdog.stop();
                throw ex;
            }
        } catch (IOException ex) {
            delete(directory);
            throw new EmbeddedRedisException("Could not start " + binary + ": " + ex.getMessage(), ex);
        } catch (RuntimeException ex) {
            delete(directory);
            throw ex;
        }
    }

    private static Path createDirectory() {
        try {
            return Files.createTempDirectory("jobs-embedded-redis-");
        } catch (IOException ex) {
            throw new EmbeddedRedisException("Could not create a temporary directory for Redis: " + ex, ex);
        }
    }

    /** Not as an argument, which every user of this machine can read. */
    private void writeConfiguration(Path directory) throws IOException {
        Path file = Files.createFile(
                Watchdog.configuration(directory),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, password == null ? "" : "requirepass " + password + "\n");
    }

    private List<String> command(int port, Path directory) {
        List<String> command = new ArrayList<>();
        command.add(binary.program().toString());
        command.add(Watchdog.configuration(directory).toString());
        command.addAll(List.of("--save", "", "--appendonly", "no"));
        command.addAll(options);
        command.addAll(List.of("--bind", EmbeddedRedis.HOST, "--port", String.valueOf(port)));
        command.addAll(List.of("--dir", (dataDirectory != null ? dataDirectory : directory).toString()));
        return command;
    }

    /** Returns the process id of the server once it answers. */
    private long awaitServer(Watchdog watchdog, int port) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < deadline) {
            Optional<Long> pid = watchdog.serverPid();
            if (pid.isPresent() && RedisProbe.isServing(port, pid.get(), password)) {
                return pid.get();
            }
            if (watchdog.hasGivenUp()) {
                throw failure(port, watchdog.log());
            }
            pause();
        }
        throw failure(port, "no answer within " + PATIENCE.toSeconds() + " s\n" + watchdog.log());
    }

    private EmbeddedRedisException failure(int port, String log) {
        String message = binary + " did not start on port " + port + ": " + log;
        return log.contains("Failed listening on port")
                ? new PortTakenException(message)
                : new EmbeddedRedisException(message);
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE.toMillis());
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new EmbeddedRedisException("Interrupted while Redis was starting", ex);
        }
    }

    /** Normally done by the watchdog, except if it never ran or ended before the server. */
    private static void delete(Path directory) {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException ex) {
            // a leftover temporary directory must not hide the real error
            directory.toFile().deleteOnExit();
        }
    }

    private static final class PortTakenException extends EmbeddedRedisException {

        private static final long serialVersionUID = 1L;

        PortTakenException(String message) {
            super(message);
        }
    }
}
