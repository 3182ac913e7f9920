package dev.jobs.shards;

import dev.jobs.InvalidPayloadException;
import dev.jobs.Payload;
import dev.jobs.batches.BatchEffects;
import dev.jobs.limits.LimitStates;
import dev.jobs.lists.EntryReader;
import dev.jobs.lists.ScanStep;
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
    private @Nullable Set<String> recurringLocks;

    /** @param recurring the locks of recurring jobs of the shard, asked once and only if there are jobs with locks */
    StayingJobs(Supplier<Set<String>> recurring) {
        this.recurring = recurring;
    }

    /** What can be read of a job; null if it is none. */
    static @Nullable Payload read(byte[] stored) {
        try {
            return Payload.parse(stored);
        } catch (InvalidPayloadException e) {
            return null;
        }
    }

    /** Why a job stays; null if it may go. A dead one has ended for all but its batch. */
    @Nullable Left why(Payload job, TransferSlice.Place place) {
        if (job.has(BatchEffects.MEMBER)) {
            return Left.BATCH;
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
