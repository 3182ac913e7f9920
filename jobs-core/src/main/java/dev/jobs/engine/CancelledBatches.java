package dev.jobs.engine;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which batches are cancelled, of those whose jobs this process holds. Redis is asked when a job of a batch begins, and
 * while one runs, about once a second, and only about these batches: thousands of others that are cancelled cost
 * nothing. Thread-safe.
 */
final class CancelledBatches {

    /** How old may be what is known. */
    static final Duration FRESH = Duration.ofSeconds(1);

    private final ReentrantLock reading = new ReentrantLock();
    private volatile @Nullable Answer last;

    /**
     * What Redis answered.
     *
     * @param asked the batches that it was asked about; null for all: none is cancelled, or Redis could not be asked
     * @param nanos when it was asked, or when that failed
     * @param known false if that failed; then these are those of the answer before
     */
    private record Answer(@Nullable Set<String> asked, Set<String> cancelled, long nanos, boolean known) {

        boolean isFresh(long now, @Nullable String id) {
            return now - nanos < FRESH.toNanos() && (id == null || asked == null || asked.contains(id));
        }
    }

    /** Asks Redis. */
    interface Source {

        /**
         * Which of these batches are cancelled; null if no batch at all is.
         *
         * @param ids finds out which: not asked if none is cancelled
         * @throws dev.jobs.JobStoreException if they can't be read
         */
        @Nullable Set<String> among(Supplier<Set<String>> ids);
    }

    boolean contains(String id) {
        Answer known = last;
        return known != null && known.cancelled().contains(id);
    }

    /**
     * Asks about a batch if what is known of it is too old, and about those of all held jobs with it; those who ask
     * meanwhile wait for that. After a failure all go on with what is known, and the next reading waits as after a
     * success: jobs must not wait for Redis one after the other.
     *
     * @param id null for all of the held jobs
     * @param held the batches of the jobs that this process holds
     * @return whether it is known now; false after a failure
     * @throws dev.jobs.JobStoreException if they can't be read
     */
    boolean refresh(@Nullable String id, LongSupplier nanoTime, Supplier<Set<String>> held, Source source) {
        Answer known = last;
        if (known != null && known.isFresh(nanoTime.getAsLong(), id)) {
            return known.known();
        }
        reading.lock();
        try {
            known = last;
            if (known == null || !known.isFresh(nanoTime.getAsLong(), id)) {
                known = read(id, nanoTime, held, source);
                last = known;
            }
            return known.known();
        } finally {
            reading.unlock();
        }
    }

    private Answer read(@Nullable String id, LongSupplier nanoTime, Supplier<Set<String>> held, Source source) {
        long at = nanoTime.getAsLong();
        Set<String> asked = new HashSet<>();
        try {
            Set<String> cancelled = source.among(() -> {
                asked.addAll(held.get());
                if (id != null) {
                    asked.add(id);
                }
                return asked;
            });
            return new Answer(cancelled == null ? null : asked, cancelled == null ? Set.of() : cancelled, at, true);
        } catch (RuntimeException | Error e) {
            Answer before = last;
            last = new Answer(
                    null, before == null ? Set.of() : before.cancelled(), nanoTime.getAsLong(), false); // it may have taken long
            throw e;
        }
    }
}
