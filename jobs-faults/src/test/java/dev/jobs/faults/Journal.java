package dev.jobs.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The record of one worker process in a file that outlives it: Redis is not asked, because it is under test. Each line
 * is one write, so after a kill of the process it exists completely or not at all.
 */
final class Journal {

    /** A recorded event. */
    enum Event {
        START,
        FINISH,
        FAIL
    }

    private final OutputStream file;

    Journal(Path path) {
        try {
            file = new FileOutputStream(path.toFile(), true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void note(Event event, String jid, int attempt) {
        long micros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        String line =
                event + " " + jid + " " + attempt + " " + Thread.currentThread().getId() + " " + micros + "\n";
        try {
            file.write(line.getBytes(UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
