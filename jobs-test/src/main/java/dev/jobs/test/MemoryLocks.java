package dev.jobs.test;

import dev.jobs.Expiry;
import dev.jobs.Payload;
import dev.jobs.codec.RubyTime;
import dev.jobs.unique.Debounce;
import dev.jobs.unique.JobLock;
import dev.jobs.unique.JobLocks;
import dev.jobs.unique.Unique.OnConflict;
import dev.jobs.unique.Unique.Until;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The locks of unique jobs in memory, which end by the test's clock, and what is known of debounced jobs. Thread-safe.
 */
final class MemoryLocks {

    /**
     * What becomes of a job that is to be stored.
     *
     * @param refused why it is not stored; null if it is
     * @param due when it goes to its queue; null for now
     * @param later the job as it waits because of its lock; null if it doesn't
     */
    record Decision(
            @Nullable String refused,
            @Nullable Instant due,
            @Nullable Payload later) {

        static Decision store(@Nullable Instant due) {
            return new Decision(null, due, null);
        }
    }

    private record Held(String jid, Instant end) {}

    /**
     * A job that a later one may replace.
     *
     * @param due when it is due, if it waits for that because of its lock
     * @param first when the first job was enqueued that it and others replaced
     */
    private record Waiting(String jid, @Nullable Instant due, Instant first) {}

    private final Supplier<Instant> clock;

    // Guarded by this.
    private final Map<String, Held> locks = new HashMap<>();
    private final Map<String, Waiting> waiting = new HashMap<>();
    private final Set<String> replaced = new HashSet<>();

    MemoryLocks(Supplier<Instant> clock) {
        this.clock = clock;
    }

    /**
     * Decides about a job that is to be stored, and takes its lock.
     *
     * @param due when it goes to its queue; null for now
     * @param remove removes a scheduled job by its jid, unless it waits for a retry, and returns whether there was one
     */
    synchronized Decision take(Payload payload, @Nullable Instant due, Predicate<String> remove) {
        JobLock lock = JobLock.of(payload);
        Debounce debounce = Debounce.of(payload);
        if (lock == null) {
            return debounce == null ? Decision.store(due) : debounced(debounce, due, remove);
        }
        Held held = held(lock);
        Held other = held == null || held.jid().equals(lock.jid()) ? null : held;
        Waiting before = waiting.get(lock.digest());
        if (other != null && lock.onConflict() == OnConflict.LATER) {
            return later(lock, payload, other, before, remove);
        }
        boolean replaces = lock.onConflict() == OnConflict.REPLACE;
        if (other != null && !(replaces && before != null && before.jid().equals(other.jid()))) {
            boolean buried = lock.onConflict() == OnConflict.REJECT;
            return new Decision((buried ? JobLocks.BURIED : JobLocks.REFUSED) + other.jid(), null, null);
        }
        if (before != null && !before.jid().equals(lock.jid()) && !remove.test(before.jid()) && replaces) {
            replaced.add(before.jid());
        }
        waiting.remove(lock.digest());
        if (replaces) {
            waiting.put(lock.digest(), new Waiting(lock.jid(), null, clock.get()));
        }
        hold(lock, due);
        return Decision.store(due);
    }

    private Decision debounced(Debounce job, @Nullable Instant due, Predicate<String> remove) {
        Instant now = clock.get();
        Waiting before = waiting.remove(job.digest());
        Instant first = before != null && remove.test(before.jid()) ? before.first() : now;
        if (due == null) {
            return Decision.store(null);
        }
        waiting.put(job.digest(), new Waiting(job.jid(), null, first));
        Instant latest = first.plusMillis(job.atMost());
        Instant pause = now.plusMillis(job.pause());
        return Decision.store(latest.isBefore(pause) ? latest : pause);
    }

    private Decision later(
            JobLock lock, Payload payload, Held held, @Nullable Waiting before, Predicate<String> remove) {
        Instant due = before != null && remove.test(before.jid()) ? before.due() : null;
        if (due == null) {
            due = held.end();
            locks.put(lock.digest(), new Held(lock.jid(), due.plusMillis(lock.millis())));
        } else {
            locks.put(lock.digest(), new Held(lock.jid(), held.end()));
        }
        waiting.put(lock.digest(), new Waiting(lock.jid(), due, clock.get()));
        double latest = RubyTime.seconds(clock.get().plusMillis(lock.millis()));
        return new Decision(null, due, Expiry.anew(payload, latest).without("enqueued_at"));
    }

    private @Nullable Held held(JobLock lock) {
        Held held = locks.get(lock.digest());
        return held == null || !held.end().isAfter(clock.get()) ? null : held;
    }

    private void hold(JobLock lock, @Nullable Instant due) {
        Instant from = due == null ? clock.get() : due;
        locks.put(lock.digest(), new Held(lock.jid(), from.plusMillis(lock.millis())));
    }

    /** A unique job is about to begin. Returns false if another one has replaced it. */
    synchronized boolean begins(Payload payload) {
        JobLock lock = JobLock.of(payload);
        if (lock == null) {
            return true;
        }
        if (replaced.contains(lock.jid())) {
            return false;
        }
        forget(lock);
        if (lock.until() == Until.START) {
            release(lock);
        }
        return true;
    }

    /** A job will run again. */
    synchronized void moved(Payload payload, @Nullable Instant due) {
        JobLock lock = JobLock.of(payload);
        if (lock == null || lock.until() != Until.SUCCESS || replaced.contains(lock.jid())) {
            return;
        }
        Held held = held(lock);
        if (held == null || held.jid().equals(lock.jid())) {
            hold(lock, due);
            if (lock.onConflict() == OnConflict.REPLACE) {
                waiting.put(lock.digest(), new Waiting(lock.jid(), null, clock.get()));
            }
        }
    }

    /** A job has ended. */
    synchronized void ended(Payload payload) {
        JobLock lock = JobLock.of(payload);
        if (lock != null) {
            replaced.remove(lock.jid());
            forget(lock);
        }
        if (lock != null && lock.until() != Until.EXPIRY) {
            release(lock);
        }
    }

    private void forget(JobLock lock) {
        Waiting known = waiting.get(lock.digest());
        if (known != null && known.jid().equals(lock.jid())) {
            waiting.remove(lock.digest());
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
        waiting.clear();
        replaced.clear();
    }
}
