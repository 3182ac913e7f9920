package dev.jobs.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The ids of batches that are cancelled, as this process knows. They are read when a job of a batch begins, and while
 * one runs, about once a second. Thread-safe.
 */
final class CancelledBatches {

    /** How old may be what is known. */
    static final Duration FRESH = Duration.ofSeconds(1);

    private final ReentrantLock reading = new ReentrantLock();
    private volatile Set<String> ids = Set.of();

    private volatile boolean tried;

    /** When they were read, or when that failed. */
    private volatile long triedNanos;

    boolean contains(String id) {
        return ids.contains(id);
    }

    /**
     * Reads them if what is known is too old; those who ask meanwhile wait for that. After a failure all go on with
     * what is known, and the next reading waits as after a success: jobs must not wait for Redis one after the other.
     *
     * @throws dev.jobs.JobStoreException if they can't be read
     */
    void refresh(LongSupplier nanoTime, Supplier<? extends Collection<String>> reader) {
        if (isFresh(nanoTime)) {
            return;
        }
        reading.lock();
        try {
            if (!isFresh(nanoTime)) {
                read(nanoTime, reader);
            }
        } finally {
            reading.unlock();
        }
    }

    private void read(LongSupplier nanoTime, Supplier<? extends Collection<String>> reader) {
        long at = nanoTime.getAsLong();
        try {
            Collection<String> known = reader.get();
            if (!known.isEmpty() || !ids.isEmpty()) {
                ids = Set.copyOf(known);
            }
        } catch (RuntimeException | Error e) {
            at = nanoTime.getAsLong(); // it may have taken long
            throw e;
        } finally {
            triedNanos = at;
            tried = true;
        }
    }

    private boolean isFresh(LongSupplier nanoTime) {
        return tried && nanoTime.getAsLong() - triedNanos < FRESH.toNanos();
    }
}
