package dev.jobs.embeddedredis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The shell process between this JVM and the server: it starts the server and ends it when this JVM ends, for whatever
 * reason.
 *
 * <p>The JVM holds the other end of the shell's standard input, so the shell reads the end of that stream when the JVM
 * closes it, exits or is killed. No shutdown hook is involved: a hook would run in parallel with the application's own
 * and stop Redis while the application still hands back its jobs.
 */
final class Watchdog {

    /**
     * The server is a child of the shell, which therefore knows its process id from the start and reaps it. Job control
     * puts it into its own process group if there is no setsid command, so that Ctrl-C in a terminal doesn't reach it.
     * Job control ends at once: some shells take the terminal for as long, and Ctrl-C would reach nobody else.
     * It is asked to end, and killed if it doesn't, as a frozen server needs.
     */
    private static final String SCRIPT = """
            trap '' INT HUP TERM
            set -m 2>/dev/null
            dir=$1; shift
            "$@" --daemonize no --logfile "$dir/redis.log" </dev/null &
            pid=$!
            set +m 2>/dev/null
            echo $pid >"$dir/redis.pid"
            cat >/dev/null
            kill $pid && {
              tries=200
              while kill -0 $pid && [ $tries -gt 0 ]; do sleep 0.01; tries=$((tries - 1)); done
              [ $tries -gt 0 ] || kill -9 $pid
              wait $pid
            }
            rm -rf "$dir"
            """;

    private static final String OUTPUT = "watchdog.log";

    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final Process shell;
    private final Path directory;

    private Watchdog(Process shell, Path directory) {
        this.shell = shell;
        this.directory = directory;
    }

    /**
     * @param directory directory for the server's process id and log; the watchdog deletes it at the end
     * @param serverCommand the server program and its arguments
     */
    static Watchdog start(Path directory, List<String> serverCommand) throws IOException {
        List<String> command = new ArrayList<>();
        // with this command, a signal to the JVM's whole process group does not reach the watchdog
        SearchPath.ofEnvironment()
                .find("setsid")
                .findFirst()
                .map(Path::toString)
                .ifPresent(command::add);
        command.addAll(List.of("sh", "-c", SCRIPT, "embedded-redis", directory.toString()));
        command.addAll(serverCommand);
        Process shell = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(OUTPUT).toFile())
                .start();
        return new Watchdog(shell, directory);
    }

    /** The server's configuration file, in its directory. */
    static Path configuration(Path directory) {
        return directory.resolve("redis.conf");
    }

    Path configuration() {
        return configuration(directory);
    }

    /** Whether the server has ended and will never answer: it refused its options, its data or its port. */
    boolean hasGivenUp() {
        return !shell.isAlive() || serverPid().isPresent() && server().isEmpty();
    }

    /** The server's process id, as soon as there is one. */
    Optional<Long> serverPid() {
        String id = read("redis.pid").strip();
        return id.isEmpty() ? Optional.empty() : Optional.of(Long.valueOf(id));
    }

    boolean isServerAlive() {
        return server().isPresent();
    }

    private Optional<ProcessHandle> server() {
        return serverPid().flatMap(ProcessHandle::of).filter(ProcessHandle::isAlive);
    }

    /** The output of the server and the shell so far. */
    String log() {
        return (read(OUTPUT) + read("redis.log")).strip();
    }

    private String read(String file) {
        try {
            return Files.readString(directory.resolve(file));
        } catch (IOException ex) {
            return ""; // not written yet, or already deleted
        }
    }

    /** Ends the server and waits for its end, even when interrupted: this takes milliseconds, seconds at worst. */
    void stop() {
        Optional<ProcessHandle> server = server();
        try {
            shell.getOutputStream().close();
        } catch (IOException ex) {
            shell.destroyForcibly(); // it can no longer be asked to stop
        }
        if (!awaitEnd()) {
            shell.destroyForcibly();
        }
        server.ifPresent(ProcessHandle::destroyForcibly); // only alive if the watchdog couldn't do its work
    }

    private boolean awaitEnd() {
        boolean interrupted = false;
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try {
            while (true) {
                try {
                    return shell.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException ex) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
