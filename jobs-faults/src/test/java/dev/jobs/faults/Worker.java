package dev.jobs.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A worker process, seen from outside. */
final class Worker implements AutoCloseable {

    final int number;
    final WorkerSettings settings;
    private final Process process;
    private final JournalReader journal;
    private final Path log;
    private volatile @Nullable Instant diedAt;

    private Worker(int number, WorkerSettings settings, Process process, JournalReader journal, Path log) {
        this.number = number;
        this.settings = settings;
        this.process = process;
        this.journal = journal;
        this.log = log;
        process.onExit().thenRun(this::died);
    }

    /**
     * @param directory for its journal and its log
     * @param jvm the command that starts its JVM
     */
    static Worker start(int number, WorkerSettings settings, Path directory, List<String> jvm) {
        Path journal = directory.resolve("worker-" + number + ".journal");
        Path log = directory.resolve("worker-" + number + ".log");
        List<String> command = new ArrayList<>(jvm);
        command.addAll(List.of(WorkerMain.class.getName(), journal.toString()));
        command.addAll(settings.toArguments());
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            return new Worker(number, settings, process, new JournalReader(journal, number), log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Whether its engine may have been started. */
    boolean hasBegun() {
        return said().contains(WorkerMain.STARTS);
    }

    private synchronized void died() {
        if (diedAt == null) {
            diedAt = Instant.now();
        }
    }

    /** When it died or froze for longer than its lease, or null. */
    @Nullable Instant diedAt() {
        return diedAt;
    }

    /** Kills it without any warning, and returns when it is gone. */
    void kill() {
        died();
        process.destroyForcibly().onExit().join();
    }

    /** Freezes it for longer than its lease, so that others take over. */
    void freezeForGood() {
        died();
        freeze();
    }

    void freeze() {
        Signals.send("STOP", pid());
    }

    void thaw() {
        Signals.send("CONT", pid());
    }

    /** Asks it to stop. {@link Process#destroy} would also close its input, which signals that the suite is gone. */
    void terminate() {
        Signals.send("TERM", pid()); // Process.destroy() would also close its standard input, which ends it at once
    }

    /** Waits for its end. Returns whether it ended. */
    boolean awaitEnd(Duration patience) {
        try {
            return process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    List<Execution> executions() {
        return journal.read();
    }

    /** Its log lines so far. */
    List<String> said() {
        try {
            return Files.readAllLines(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Threads of the process, native ones included. */
    int threads() {
        return entries("task");
    }

    /** Open files and connections of the process. */
    int descriptors() {
        return entries("fd");
    }

    /** Bytes of the objects in its heap, after a collection. */
    long liveBytes() {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        try {
            Process asking = new ProcessBuilder(jcmd.toString(), Long.toString(pid()), "GC.class_histogram").start();
            String total = new String(asking.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith("Total"))
                    .findFirst()
                    .orElseThrow();
            return Long.parseLong(total.strip().replaceFirst(".*\\s", ""));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int entries(String directory) {
        try (Stream<Path> entries = Files.list(Path.of("/proc", Long.toString(pid()), directory))) {
            return (int) entries.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public String toString() {
        return "worker " + number + " (process " + pid() + ")";
    }
}
