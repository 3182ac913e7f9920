package dev.jobs.unique;

import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.admin.ScanBudget;
import dev.jobs.assembly.JobsAdmin;
import java.util.Optional;

/**
 * Inspects and releases the locks of {@linkplain dev.jobs.unique.Unique unique} jobs; see {@link JobsAdmin#locks}. A lock ends
 * with its job, so it needs no help unless another program removed the job. Thread-safe.
 */
public final class LocksAdmin {

    private final JobLocks locks;

    @Internal
    public LocksAdmin(JobLocks locks) {
        this.locks = locks;
    }

    /**
     * The locks that there are. Looks through the names of all keys in Redis, a thousand at a time, so that no call is
     * slow.
     *
     * @param budget counts locks, not keys
     */
    public FoundLocks all(ScanBudget budget) {
        long end = System.nanoTime() + budget.time().toNanos();
        JobLocks.Some some = locks.some(budget.entries(), () -> System.nanoTime() - end < 0);
        return new FoundLocks(some.locks().stream().map(HeldLock::of).toList(), !some.complete());
    }

    /**
     * Finds who holds the lock of a key.
     *
     * @param job the job's wire name
     * @param key as {@link dev.jobs.unique.Unique#key} made it of the arguments, such as {@code shop:5}; if that is empty, the
     *     arguments as compact JSON with the members of objects in the order of their names, such as {@code [5,"form"]}
     */
    public Optional<HeldLock> find(String job, String key) {
        return locks.find(UniqueRule.digest(job, key)).map(HeldLock::of);
    }

    /** The lock that a job's payload names, whatever job holds it. */
    @Internal
    public Optional<HeldLock> of(Payload payload) {
        JobLock lock = JobLock.of(payload);
        return lock == null ? Optional.empty() : locks.find(lock.digest()).map(HeldLock::of);
    }

    /** Whether a job was replaced while it waited. */
    @Internal
    public boolean isReplaced(Payload payload) {
        return locks.isReplaced(payload);
    }

    /** Whether a job waits in the scheduled set until the lock of its key ends. */
    @Internal
    public boolean isLater(Payload payload, byte[] stored) {
        return locks.isLater(payload, stored);
    }

    /**
     * Releases a lock, whatever its job does. The next call with its key is stored, so that two jobs may be pending;
     * the one that loses its lock here takes it again when it moves, if it is free then.
     *
     * @return false if that job no longer holds it
     */
    public boolean unlock(HeldLock lock) {
        return locks.release(lock.digest(), lock.holder());
    }

    /** {@linkplain #unlock(HeldLock) Releases} the lock that {@link #find} finds. Returns whether there was one. */
    public boolean unlock(String job, String key) {
        return find(job, key).map(this::unlock).orElse(false);
    }
}
