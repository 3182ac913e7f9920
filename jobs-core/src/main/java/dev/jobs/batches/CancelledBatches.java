package dev.jobs.batches;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which batches are cancelled, of those whose jobs this process holds. Redis is asked when a job of a batch begins, and
 * while one runs, about once a second, and only about these batches: thousands of others that are cancelled cost
 * nothing. Thread-safe.
 */
@Internal
public final class CancelledBatches {

    /** How old may be what is known. */
    public static final Duration FRESH = Duration.ofSeconds(1);

    private final ReentrantLock reading = new ReentrantLock();
    private volatile @Nullable Known known;

    /** What Redis said: of which batches, and which of them are cancelled and not over. */
    public record Reply(Set<String> asked, Set<String> cancelled) {}

    /** Asks Redis. */
    public interface Source {

        /**
         * Asks about the batches of all held jobs; null if no batch at all is cancelled.
         *
         * @param id another one to ask about; null for none
         * @throws JobStoreException if Redis can't be asked
         */
        @Nullable Reply ask(@Nullable String id);
    }

    /**
     * @param reply null if no batch is cancelled; after a failure what was known before
     * @param nanos when it was asked for, or when that failed
     * @param failure why it could not be asked for; null if it could
     */
    private record Known(
            @Nullable Reply reply, long nanos, @Nullable JobStoreException failure) {

        boolean isRecent(long now) {
            return now - nanos < FRESH.toNanos();
        }

        boolean isCancelled(String id) {
            return reply != null && reply.cancelled().contains(id);
        }

        boolean answers(String id, long since) {
            return failure != null
                    || reply == null
                    || reply.asked().contains(id) && (!isCancelled(id) || nanos - since >= 0);
        }
    }

    boolean contains(String id) {
        Known last = known;
        return last != null && last.isCancelled(id);
    }

    /**
     * Whether a batch is cancelled while this process has a job of it. Since a batch isn't over while one of its jobs is
     * in flight, it is if that was read after the job was claimed. What was read before may be of a batch that was over,
     * whose job somebody has run again since, so it is asked for. Those who ask meanwhile wait for one reading. A batch
     * that is not known as cancelled is not, also if Redis can't be asked now.
     *
     * @param since when the job was claimed
     * @throws JobStoreException if it was known as cancelled, and the last reading failed; the next one waits as after a
     *     success: jobs must not wait for Redis one after the other
     */
    boolean isCancelled(String id, long since, LongSupplier nanoTime, Source source) {
        Known found = known;
        if (found == null || !found.isRecent(nanoTime.getAsLong()) || !found.answers(id, since)) {
            reading.lock();
            try {
                found = known;
                if (found == null || !found.isRecent(nanoTime.getAsLong()) || !found.answers(id, since)) {
                    found = read(id, nanoTime, source);
                }
            } finally {
                reading.unlock();
            }
        }
        JobStoreException failure = found.failure();
        if (failure != null && found.isCancelled(id)) {
            throw failure;
        }
        return found.isCancelled(id);
    }

    /**
     * Asks about the batches of all held jobs if what is known is too old.
     *
     * @throws JobStoreException if they can't be read
     */
    public void refresh(LongSupplier nanoTime, Source source) {
        reading.lock();
        try {
            Known last = known;
            if (last == null || !last.isRecent(nanoTime.getAsLong())) {
                JobStoreException failure = read(null, nanoTime, source).failure();
                if (failure != null) {
                    throw failure;
                }
            }
        } finally {
            reading.unlock();
        }
    }

    private Known read(@Nullable String id, LongSupplier nanoTime, Source source) {
        long at = nanoTime.getAsLong();
        Known now;
        try {
            now = new Known(source.ask(id), at, null);
        } catch (JobStoreException e) {
            Known before = known;
            now = new Known(before == null ? null : before.reply(), nanoTime.getAsLong(), e); // it may have taken long
        }
        known = now;
        return now;
    }
}
