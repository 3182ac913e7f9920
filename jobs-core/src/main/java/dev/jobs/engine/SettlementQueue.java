package dev.jobs.engine;

import dev.jobs.leases.Incarnation;
import dev.jobs.redis.CallBounds;
import dev.jobs.store.JobClaims;
import dev.jobs.store.Settlement;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Finished and handed-back jobs that Redis has yet to settle, oldest first. Adding and counting are thread-safe, all
 * else is for one thread at a time.
 */
final class SettlementQueue {

    private final Queue<ClaimedJob> pending = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();

    private final RefusedSettlements refused = new RefusedSettlements();
    private final CallBounds bounds;

    SettlementQueue(CallBounds bounds) {
        this.bounds = bounds;
    }

    /** A job has ended, and is settled so. */
    void add(ClaimedJob job, Settlement settlement) {
        job.settleWith(settlement);
        add(job);
    }

    /** A job is settled later. */
    void add(ClaimedJob job) {
        pending.add(job);
        size.incrementAndGet();
    }

    /** Drops the settlement of a job that Redis has taken back. */
    void drop(ClaimedJob job) {
        if (pending.remove(job)) {
            size.decrementAndGet();
        }
    }

    /** Redis could not settle a job, which is tried again after a pause. */
    void refuse(ClaimedJob job, long nanos) {
        refused.add(job, nanos);
    }

    /** How many jobs were refused and are still held. Thread-safe. */
    int refused() {
        return refused.count();
    }

    /** A job is settled, or no longer held. Thread-safe. */
    void forget(String token) {
        refused.forget(token);
    }

    /** How many wait for an exchange, not counting refused ones. */
    int size() {
        return size.get();
    }

    /** Takes as many as one exchange carries, at least one if there are any. Drops those of other incarnations. */
    List<ClaimedJob> take(Incarnation incarnation, long nanos) {
        Batch batch = new Batch();
        ClaimedJob next;
        while ((next = refused.due(nanos)) != null && batch.hasRoom(next.settlement())) {
            refused.removeDue();
            batch.add(next);
        }
        while ((next = pending.peek()) != null && batch.hasRoom(next.settlement())) {
            pending.remove();
            size.decrementAndGet();
            if (next.incarnation() == incarnation) {
                batch.add(next);
            }
        }
        return batch.taken;
    }

    /** Grows to what one exchange carries. */
    private final class Batch {

        private final List<ClaimedJob> taken = new ArrayList<>();
        private int weight;
        private long bytes;

        boolean hasRoom(Settlement next) {
            return taken.isEmpty() || weight + weight(next) <= JobClaims.BATCH && bytes + next.size() <= bounds.bytes();
        }

        void add(ClaimedJob next) {
            weight += weight(next.settlement());
            taken.add(next);
            bytes += next.settlement().size();
        }

        /**
         * In plain acks. A brief effect on the keys of the one before is as small. The others are steps of their own
         * in Redis, so as many of them fit as into other calls.
         */
        private int weight(Settlement settlement) {
            boolean small = settlement.isPlainAck()
                    || !taken.isEmpty()
                            && settlement.isBriefAckLike(
                                    taken.get(taken.size() - 1).settlement());
            return small ? 1 : JobClaims.BATCH / CallBounds.JOBS;
        }
    }

    void clear() {
        refused.clear();
        while (pending.poll() != null) {
            size.decrementAndGet();
        }
    }
}
