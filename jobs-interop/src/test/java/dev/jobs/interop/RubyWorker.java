package dev.jobs.interop;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Payload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A Sidekiq process with the jobs of {@code jobs.rb}. It records its executions in a file, since Redis is under test.
 */
final class RubyWorker implements AutoCloseable {

    /** The average time between two polls for due jobs. */
    private static final String POLL_SECONDS = "0.5";

    private final RubyProcess process;
    private final Path journal;

    /**
     * @param options of Sidekiq's command line
     */
    RubyWorker(Ruby ruby, Path directory, String name, Map<String, String> environment, String... options) {
        journal = directory.resolve(name + ".journal");
        Map<String, String> all = new HashMap<>(environment);
        all.put("INTEROP_JOURNAL", journal.toString());
        all.put("INTEROP_POLL", POLL_SECONDS);
        String[] fixed = {
            "-S",
            "sidekiq",
            "-t",
            Long.toString(InteropTestBed.SHUTDOWN.toSeconds()),
            "-r",
            "./" + Ruby.SCRIPTS.resolve("worker.rb")
        };
        String[] arguments = Arrays.copyOf(fixed, fixed.length + options.length);
        System.arraycopy(options, 0, arguments, fixed.length, options.length);
        process = ruby.startSilent(directory.resolve(name + ".log"), all, arguments);
    }

    long pid() {
        return process.pid();
    }

    /** Its executions so far: each entry has jid, class and what. */
    List<Payload> performed() {
        if (!Files.exists(journal)) {
            return List.of();
        }
        try {
            String text = new String(Files.readAllBytes(journal), UTF_8); // it may end with an incomplete character
            return text.substring(0, text.lastIndexOf('\n') + 1)
                    .lines()
                    .map(line -> Payload.parse(line.getBytes(UTF_8)))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How often it has performed a job so far. */
    long performed(String jid) {
        return performed().stream().filter(entry -> jid.equals(entry.jid())).count();
    }

    /** Waits until it has performed a job. Returns the job's note. */
    @Nullable Object awaitPerformed(String jid) {
        InteropTestBed.await("Ruby to perform " + jid, () -> performed(jid) > 0);
        return performed().stream()
                .filter(entry -> jid.equals(entry.jid()))
                .findFirst()
                .orElseThrow()
                .get("what");
    }

    boolean awaitEnd(Duration patience) {
        return process.awaitEnd(patience);
    }

    /** Stops it gracefully. */
    void stop() {
        process.terminate();
        if (!process.awaitEnd(InteropTestBed.PATIENCE)) {
            throw new AssertionError("The Ruby worker " + pid() + " doesn't stop, see " + journal);
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
