package dev.jobs.benchmarks.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A process that answers each command with a line of JSON. It ends when its input does. */
final class ChildProcess implements AutoCloseable {

    private static final long ANSWER_SECONDS = 300;
    private static final Duration END = Duration.ofSeconds(10);
    private static final JsonMapper JSON = new JsonMapper();
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    private final Process process;
    private final BufferedReader answers;
    private final Writer commands;
    private final Path log;
    private final JsonNode greeting;

    private ChildProcess(Process process, Path log) throws IOException {
        this.process = process;
        this.log = log;
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        commands = process.outputWriter(StandardCharsets.UTF_8);
        greeting = answer();
    }

    /** Starts a process and waits for its greeting. */
    static ChildProcess start(List<String> command, Path log) throws IOException {
        Files.createDirectories(log.getParent());
        List<String> complete = new ArrayList<>(command);
        if (complete.get(0).endsWith("java")) {
            complete.add(1, "-Dbenchmarks.log=" + log);
        }
        Process process =
                new ProcessBuilder(complete).redirectError(log.toFile()).start();
        RUNNING.add(process);
        try {
            return new ChildProcess(process, log);
        } catch (IOException | RuntimeException e) {
            end(process);
            throw e;
        }
    }

    JsonNode greeting() {
        return greeting;
    }

    long pid() {
        return process.pid();
    }

    /** The answer to a command. */
    JsonNode ask(Object... words) {
        try {
            commands.write(String.join(
                            " ",
                            java.util.Arrays.stream(words).map(String::valueOf).toList()) + "\n");
            commands.flush();
            return answer();
        } catch (IOException e) {
            throw new UncheckedIOException("after '" + words[0] + "', see " + log, e);
        }
    }

    private JsonNode answer() throws IOException {
        CompletableFuture<String> line = CompletableFuture.supplyAsync(() -> {
            try {
                String read = answers.readLine();
                return read == null ? "" : read;
            } catch (IOException e) {
                return "";
            }
        });
        try {
            String read = line.get(ANSWER_SECONDS, TimeUnit.SECONDS);
            if (read.isEmpty()) {
                throw new IOException("the process ended, see " + log);
            }
            return JSON.readTree(read);
        } catch (TimeoutException e) {
            end(process);
            throw new IOException("no answer in " + ANSWER_SECONDS + " s, see " + log, e);
        } catch (ExecutionException e) {
            throw new IOException("no answer, see " + log, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Ends its input and waits until the process ends by itself. Returns whether it did in time. */
    boolean finish(Duration atMost) {
        try {
            commands.close();
        } catch (IOException e) {
            // it is gone
        }
        try {
            return process.waitFor(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        finish(END);
        end(process);
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        RUNNING.remove(process);
    }

    /** Ends all processes that still run. */
    static void endAll() {
        RUNNING.forEach(ChildProcess::end);
    }
}
