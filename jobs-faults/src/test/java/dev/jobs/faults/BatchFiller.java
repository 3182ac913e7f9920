package dev.jobs.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.batches.Batches;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** The program that fills the batches of the storm, one after the other, beginning where an earlier one was killed. */
final class BatchFiller {

    private static final long BACKLOG = 500;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Batches batches;
    private final LongSupplier queued;
    private final Path filled;
    private final Dose dose = Dose.current();

    /**
     * @param queued the number of jobs in queues: it waits while there are many
     * @param filled the file with a line for each batch that is filled
     */
    BatchFiller(Batches batches, LongSupplier queued, Path filled) {
        this.batches = batches;
        this.queued = queued;
        this.filled = filled;
    }

    /** The number of batches without their children and next ones. */
    static int count(Dose dose) {
        return dose.of(10, 100);
    }

    /** The number of jobs in each, with its children and next one. */
    static int jobs(Dose dose) {
        return dose.of(100, 1_000);
    }

    /** The number of batches that are filled, by that file. */
    static int filled(Path file) {
        try {
            return Files.exists(file) ? Files.readAllLines(file).size() : 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void run() {
        try (OutputStream file = new FileOutputStream(filled.toFile(), true)) {
            for (int number = filled(filled); number < count(dose); number++) {
                BatchShape.fill(batches, number, jobs(dose), this::awaitRoom);
                file.write((number + "\n").getBytes(UTF_8));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitRoom() {
        LockSupport.parkNanos(PAUSE_NANOS);
        while (queued.getAsLong() > BACKLOG) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
