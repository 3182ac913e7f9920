package dev.jobs.shards;

import dev.jobs.InvalidPayloadException;
import dev.jobs.Payload;
import dev.jobs.admin.Workforce;
import dev.jobs.batches.BatchEffects;
import dev.jobs.limits.LimitStates;
import dev.jobs.lists.EntryReader;
import dev.jobs.lists.ScanStep;
import dev.jobs.redis.RedisKeys;
import dev.jobs.results.KeptResult;
import dev.jobs.shards.TransferReport.Left;
import dev.jobs.unique.Debounce;
import dev.jobs.unique.JobLock;
import dev.jobs.unique.Unique.OnConflict;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides which jobs stay in their shard when their queue is transferred, because something of theirs does. Not
 * thread-safe.
 */
final class StayingJobs {

    private static final int LOOK = 1_000;

    private final Supplier<Set<String>> recurring;
    private final @Nullable Supplier<Workforce> there;
    private @Nullable Set<String> recurringLocks;
    private @Nullable Workforce workforce;

    /**
     * @param recurring the locks of recurring jobs of the shard, asked once and only if there are jobs with locks
     * @param there who takes jobs in the target, asked once and only if there are jobs with another queue for their
     *     retries; null if that doesn't matter
     */
    StayingJobs(Supplier<Set<String>> recurring, @Nullable Supplier<Workforce> there) {
        this.recurring = recurring;
        this.there = there;
    }

    /** What can be read of a job; null if it is none. */
    static @Nullable Payload read(byte[] stored) {
        try {
            return Payload.parse(stored);
        } catch (InvalidPayloadException e) {
            return null;
        }
    }

    /** Why a job stays; null if it may go. A dead one has ended for all but its batch, until it is tried again. */
    @Nullable Left why(Payload job, TransferSlice.Place place) {
        if (job.has(BatchEffects.MEMBER)) {
            return Left.BATCH;
        }
        if (!mayFailThere(job)) {
            return Left.RETRY_QUEUE;
        }
        if (place == TransferSlice.Place.DEAD) {
            return null;
        }
        KeptResult kept = KeptResult.of(job);
        if (kept != null && kept.replyTo() != null) {
            return Left.AWAITED;
        }
        JobLock lock = JobLock.of(job);
        boolean replaceable =
                lock != null && (lock.onConflict() == OnConflict.REPLACE || lock.onConflict() == OnConflict.LATER);
        if (replaceable || Debounce.of(job) != null) {
            return Left.REPLACEABLE;
        }
        return lock != null && recurringLocks().contains(lock.digest()) ? Left.RECURRING : null;
    }

    /** A failed job goes to the queue of its retries in the shard where it failed. */
    private boolean mayFailThere(Payload job) {
        String queue = job.text("retry_queue");
        if (there == null
                || queue == null
                || queue.equals(job.queue())
                || !RedisKeys.isQueueName(queue)
                || Boolean.FALSE.equals(job.get("retry"))) {
            return true;
        }
        if (workforce == null) {
            workforce = there.get();
        }
        return workforce.workers(queue) > 0;
    }

    private Set<String> recurringLocks() {
        Set<String> locks = recurringLocks;
        if (locks == null) {
            locks = recurring.get();
            recurringLocks = locks;
        }
        return locks;
    }

    /** The number of jobs of a queue that are parked at any limit. */
    static long parked(LimitStates limits, String queue) {
        long parked = 0;
        for (String limit : limits.parked() == 0 ? List.<String>of() : limits.names()) {
            ScanStep.Steps<LimitStates.Waiting> steps = limits.search(limit, "\n" + queue + "\n");
            String cursor = EntryReader.FIRST;
            boolean last = false;
            while (!last) {
                ScanStep<LimitStates.Waiting> step = steps.next(cursor, LOOK);
                parked += step.found().stream()
                        .filter(job -> job.queue().equals(queue))
                        .count();
                cursor = step.cursor();
                last = step.last();
            }
        }
        return parked;
    }
}
