package dev.jobs.interop;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A Ruby process. It ends on request, or with its standard input, thus also when this JVM ends. */
final class RubyProcess implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 60;

    private final Process process;
    private final BufferedReader answers;

    private RubyProcess(Process process) {
        this.process = process;
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    }

    static RubyProcess start(ProcessBuilder builder) {
        try {
            return new RubyProcess(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long pid() {
        return process.pid();
    }

    /** Sends it a line. */
    void tell(byte[] line) {
        try {
            process.getOutputStream().write(line);
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The next line of its output, unless that goes to a log. */
    String hear() {
        CompletableFuture<@Nullable String> line = CompletableFuture.supplyAsync(this::readLine, this::inBackground);
        try {
            String heard = line.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (heard == null) {
                throw new AssertionError("The Ruby process " + pid() + " has ended");
            }
            return heard;
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("The Ruby process " + pid() + " doesn't answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private @Nullable String readLine() {
        try {
            return answers.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** On its own thread: a silent process must not block others. */
    private void inBackground(Runnable listening) {
        Thread thread = new Thread(listening, "hears-" + pid());
        thread.setDaemon(true);
        thread.start();
    }

    /** Asks it to stop gracefully. {@link Process#destroy} would also close its input, which ends it at once. */
    void terminate() {
        process.toHandle().destroy();
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

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
