package dev.jobs.engine;

import dev.jobs.redis.CallLimits;
import dev.jobs.redis.JobClaims;
import dev.jobs.redis.Settlement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The settlements of finished and handed-back jobs that Redis has yet to make, oldest first. Adding and counting are
 * thread-safe, all else is for one thread at a time.
 */
final class SettlementQueue {

    /** A job, and its settlement. */
    record Pending(ClaimedJob job, Settlement settlement) {}

    private static final long REFUSED_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Queue<Pending> pending = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();

    private final Queue<Pending> refused = new ArrayDeque<>();
    private long refusedUntil;

    void add(Pending settlement) {
        pending.add(settlement);
        size.incrementAndGet();
    }

    /** How many wait for an exchange, not counting refused ones. */
    int size() {
        return size.get();
    }

    /** Whether there are none, not even refused ones. */
    boolean isEmpty() {
        return size.get() == 0 && refused.isEmpty();
    }

    /** Redis could not make this settlement: it is tried again after a pause. */
    void refuse(Pending job, long nanos) {
        refused.add(job);
        refusedUntil = nanos + REFUSED_PAUSE_NANOS;
    }

    /** Takes as many as one exchange carries, at least one if there are any. Drops those of other incarnations. */
    List<Pending> take(Incarnation incarnation, long nanos) {
        List<Pending> batch = new ArrayList<>();
        long bytes = 0;
        Pending next;
        while (nanos - refusedUntil > 0 && (next = refused.peek()) != null && hasRoom(batch, bytes, next)) {
            refused.remove();
            batch.add(next);
            bytes += next.settlement().size();
        }
        while ((next = pending.peek()) != null && hasRoom(batch, bytes, next)) {
            pending.remove();
            size.decrementAndGet();
            if (next.job().incarnation() == incarnation) {
                batch.add(next);
                bytes += next.settlement().size();
            }
        }
        return batch;
    }

    private static boolean hasRoom(List<Pending> batch, long bytes, Pending next) {
        return batch.isEmpty()
                || batch.size() < JobClaims.BATCH && bytes + next.settlement().size() <= CallLimits.BYTES;
    }

    void clear() {
        refused.clear();
        while (pending.poll() != null) {
            size.decrementAndGet();
        }
    }
}
