package dev.jobs.engine;

import dev.jobs.JobStoreException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The ids of batches that are cancelled, as this process knows. They are read when a job of a batch begins, and while
 * one runs, about once a second. Thread-safe.
 */
final class CancelledBatches {

    /** How old may be what is known. */
    static final Duration FRESH = Duration.ofSeconds(1);

    private final ReentrantLock reading = new ReentrantLock();
    private volatile Known known = new Known(Set.of(), Long.MIN_VALUE, new ConcurrentHashMap<>());

    /** Why they could not be read the last time. */
    private volatile @Nullable JobStoreException failure;

    private volatile boolean tried;

    /** When they were read, or when that failed. */
    private volatile long triedNanos;

    /**
     * What was read.
     *
     * @param readNanos when the reading began
     * @param asked since then, which of them were found cancelled still, and when
     */
    private record Known(Set<String> ids, long readNanos, Map<String, Long> asked) {

        boolean isSince(String id, long nanos) {
            Long again = asked.get(id);
            return readNanos - nanos >= 0 || again != null && again - nanos >= 0;
        }
    }

    boolean contains(String id) {
        return known.ids.contains(id);
    }

    /**
     * Whether a batch that is known as cancelled is so while this process has a job of it. Since a batch isn't over while
     * one of its jobs is in flight, it is if that was read after the job was claimed. What was read before may be of a
     * batch that was over, whose job somebody has run again since, so it is asked for.
     *
     * @param since when the job was claimed
     * @param question whether the batch with this id is cancelled now
     * @throws JobStoreException if that can't be asked, or the last reading failed
     */
    boolean isStill(String id, long since, LongSupplier nanoTime, Predicate<String> question) {
        Known last = known;
        if (!last.ids.contains(id)) {
            return false;
        }
        if (last.isSince(id, since)) {
            return true;
        }
        JobStoreException failed = failure;
        if (failed != null) {
            throw failed; // jobs must not wait for Redis one after the other
        }
        long at = nanoTime.getAsLong();
        boolean still = question.test(id);
        if (still) {
            last.asked.put(id, at);
        }
        return still;
    }

    /**
     * Reads them if what is known is too old; those who ask meanwhile wait for that. After a failure all go on with
     * what is known, and the next reading waits as after a success: jobs must not wait for Redis one after the other.
     *
     * @throws JobStoreException if they can't be read
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
            known = new Known(Set.copyOf(reader.get()), at, new ConcurrentHashMap<>());
            failure = null;
        } catch (JobStoreException e) {
            failure = e;
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
