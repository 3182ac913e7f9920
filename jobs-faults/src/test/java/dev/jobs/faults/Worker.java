package dev.jobs.faults;

import static org.awaitility.Awaitility.await;

import dev.jobs.faults.Pulse.Stall;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A worker process, seen from outside. */
final class Worker implements AutoCloseable {

    final int number;
    final WorkerSettings settings;
    private final Instant started = Instant.now();
    private final Process process;
    private final JournalReader journal;
    private final Path log;
    private final Path stalls;
    private volatile @Nullable Instant diedAt;

    private Worker(int number, WorkerSettings settings, Process process, JournalReader journal, Path log, Path stalls) {
        this.number = number;
        this.settings = settings;
        this.process = process;
        this.journal = journal;
        this.log = log;
        this.stalls = stalls;
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
            return new Worker(number, settings, process, new JournalReader(journal, number), log, stalls(journal));
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

    /**
     * Kills it without any warning, and returns when it is gone. It is frozen before the time is noted, so nothing
     * begins or ends after that time.
     */
    void kill() {
        freezeIfAlive();
        died();
        process.destroyForcibly().onExit().join();
    }

    /** Freezes it for longer than its lease, so that others take over. */
    void freezeForGood() {
        freeze();
        died();
    }

    /** Kills it if it runs a job. Returns whether it did: a job can't end between the look and the kill. */
    boolean killInTheMiddleOfAJob() {
        boolean runs = freezeInTheMiddleOfAJob();
        if (runs) {
            kill();
        }
        return runs;
    }

    /** Freezes it if it runs a job. Returns whether it did; then it is frozen. */
    boolean freezeInTheMiddleOfAJob() {
        if (!runsAJob() || !freezeIfAlive()) {
            return false;
        }
        if (!runsAJob()) {
            thaw();
            return false;
        }
        return true;
    }

    boolean runsAJob() {
        return executions().stream().anyMatch(execution -> execution.ended() == null);
    }

    private boolean freezeIfAlive() {
        try {
            freeze();
            return true;
        } catch (IllegalStateException e) {
            if (process.isAlive()) {
                throw e;
            }
            return false;
        }
    }

    /** Returns when none of its threads runs any more. */
    void freeze() {
        Signals.send("STOP", pid());
        await("a process that stands still")
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> !process.isAlive() || states().stream().noneMatch(state -> "RSD".indexOf(state) >= 0));
    }

    /** The states of its threads: R and S those of threads that run, T of those that were stopped. */
    private List<Character> states() {
        List<Character> states = new ArrayList<>();
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid()), "task"))) {
            for (Path thread : threads.toList()) {
                try {
                    String stat = Files.readString(thread.resolve("stat"));
                    states.add(stat.charAt(stat.lastIndexOf(')') + 2));
                } catch (IOException e) {
                    // this thread is gone
                }
            }
        } catch (IOException e) {
            // the process is gone
        }
        return states;
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

    /** How long it took from its start to its first job; null if it ran none. */
    @Nullable Duration startUp() {
        return executions().stream()
                .map(Execution::started)
                .min(Comparator.naturalOrder())
                .map(first -> Duration.between(started, first))
                .orElse(null);
    }

    /** Where the worker with this journal notes when it was kept from running. */
    static Path stalls(Path journal) {
        return journal.resolveSibling(journal.getFileName() + ".stalls");
    }

    /**
     * The longest time for which it was kept from running.
     *
     * @param meant times that don't count
     */
    Duration longestStall(Collection<Stall> meant) {
        try {
            return Files.exists(stalls)
                    ? Files.readAllLines(stalls).stream()
                            .map(Stall::parse)
                            .map(stall -> stall.outside(meant))
                            .max(Comparator.naturalOrder())
                            .orElse(Duration.ZERO)
                    : Duration.ZERO;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
