package dev.jobs.databases;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/** A small JVM with the class path of this one, which a test kills. Not thread-safe. */
public final class ChildJvm implements AutoCloseable {

    private final Process process;
    private final BufferedReader output;
    private final List<String> said = new ArrayList<>();

    private ChildJvm(Process process) {
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Runs a main class, which logs warnings and errors. */
    public static ChildJvm start(Class<?> main, Object... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                "-Dlogging.level.root=warn",
                main.getName()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        try {
            return new ChildJvm(
                    new ProcessBuilder(command).redirectErrorStream(true).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Calls {@code life} with each number from 1 to {@code lives}, on some threads at once. The first failure is thrown
     * once all threads ended.
     */
    public static void storm(int lives, int threads, IntConsumer life) throws InterruptedException {
        AtomicInteger numbers = new AtomicInteger();
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                all.add(executor.submit(() -> {
                    for (int number = numbers.incrementAndGet(); number <= lives; number = numbers.incrementAndGet()) {
                        life.accept(number);
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        } finally {
            executor.shutdownNow();
        }
    }

    /**
     * Waits for the next line that it writes.
     *
     * @throws AssertionError if it ended
     */
    public String readLine() {
        try {
            String line = output.readLine();
            if (line == null) {
                throw new AssertionError("The process ended by itself; it said\n" + String.join("\n", said));
            }
            said.add(line);
            return line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Kills it after a time. Returns all lines that it wrote.
     *
     * @throws AssertionError if it ended before
     */
    public List<String> kill(Duration after) {
        try {
            if (process.waitFor(after.toNanos(), TimeUnit.NANOSECONDS)) {
                output.lines().forEach(said::add);
                throw new AssertionError("The process ended by itself; it said\n" + String.join("\n", said));
            }
            process.toHandle().destroyForcibly(); // unlike that of the process, leaves its output open
            output.lines().forEach(said::add);
            return List.copyOf(said);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Kills it, unless it ended, and waits for its end. */
    @Override
    public void close() {
        try {
            process.destroyForcibly().waitFor();
            output.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
