package dev.jobs.test;

import dev.jobs.Payload;
import dev.jobs.Unique.Until;
import dev.jobs.redis.JobLock;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The locks of unique jobs in memory; they end by the test's clock. Thread-safe. */
final class MemoryLocks {

    private record Held(String jid, Instant end) {}

    private final Supplier<Instant> clock;

    // Guarded by this.
    private final Map<String, Held> locks = new HashMap<>();

    MemoryLocks(Supplier<Instant> clock) {
        this.clock = clock;
    }

    /**
     * Takes the lock of a job that is to be stored.
     *
     * @param due when it goes to its queue; null for now
     * @return the jid of the job that holds the lock; null if this one may be stored
     */
    synchronized @Nullable String take(Payload payload, @Nullable Instant due) {
        JobLock lock = JobLock.of(payload);
        if (lock == null) {
            return null;
        }
        Held held = held(lock);
        if (held != null && !held.jid().equals(lock.jid())) {
            return held.jid();
        }
        hold(lock, due);
        return null;
    }

    private @Nullable Held held(JobLock lock) {
        Held held = locks.get(lock.digest());
        return held == null || !held.end().isAfter(clock.get()) ? null : held;
    }

    private void hold(JobLock lock, @Nullable Instant due) {
        Instant from = due == null ? clock.get() : due;
        locks.put(lock.digest(), new Held(lock.jid(), from.plusMillis(lock.millis())));
    }

    /** A job is about to start. */
    synchronized void started(Payload payload) {
        JobLock lock = JobLock.of(payload);
        if (lock != null && lock.until() == Until.START) {
            release(lock);
        }
    }

    /** A job will run again. */
    synchronized void moved(Payload payload, @Nullable Instant due) {
        JobLock lock = JobLock.of(payload);
        if (lock == null || lock.until() != Until.SUCCESS) {
            return;
        }
        Held held = held(lock);
        if (held == null || held.jid().equals(lock.jid())) {
            hold(lock, due);
        }
    }

    /** A job has ended. */
    synchronized void ended(Payload payload) {
        JobLock lock = JobLock.of(payload);
        if (lock != null && lock.until() != Until.EXPIRY) {
            release(lock);
        }
    }

    private void release(JobLock lock) {
        Held held = locks.get(lock.digest());
        if (held != null && held.jid().equals(lock.jid())) {
            locks.remove(lock.digest());
        }
    }

    synchronized void clear() {
        locks.clear();
    }
}
