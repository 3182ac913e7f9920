package dev.jobs.unique;

import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.admin.Finding;
import dev.jobs.admin.Found;
import dev.jobs.admin.ScanBudget;
import dev.jobs.admin.WaitReason;
import dev.jobs.assembly.JobsAdmin;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

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
    public Found<HeldLock> all(ScanBudget budget) {
        return locks.all(budget);
    }

    /**
     * Finds who holds the lock of a key, unless the job has masked or encrypted arguments and its digests a key of their
     * own.
     *
     * @param job the job's wire name
     * @param key as {@link dev.jobs.unique.Unique#key} made it of the arguments, such as {@code shop:5}; if that is empty, the
     *     arguments as compact JSON with the members of objects in the order of their names, such as {@code [5,"form"]}
     */
    public Optional<HeldLock> find(String job, String key) {
        return find(job, key, digest -> digest);
    }

    /**
     * The same for a job whose digests may have a key.
     *
     * @param stored what is stored of a digest
     */
    @Internal
    public Optional<HeldLock> find(String job, String key, UnaryOperator<String> stored) {
        return locks.find(stored.apply(UniqueRule.digest(job, key)));
    }

    /** The lock that a job's payload names, whatever job holds it. */
    private Optional<HeldLock> of(Payload payload) {
        JobLock lock = JobLock.of(payload);
        return lock == null ? Optional.empty() : locks.find(lock.digest());
    }

    /** Says whether a job was replaced, and whether its turn is after another one of its key. */
    @Internal
    public WaitReason waitReason() {
        return new WaitReason() {
            @Override
            public List<Finding> ending(Payload job, Instant now) {
                return locks.isReplaced(job)
                        ? List.of(replaced(of(job).map(HeldLock::holder).orElse("")))
                        : List.of();
            }

            @Override
            public List<Finding> scheduled(Payload job, byte[] stored) {
                List<Finding> reasons = new ArrayList<>();
                if (locks.isLater(job, stored)) {
                    reasons.add(
                            Finding.info(
                                    "lock",
                                    "",
                                    "Another job had the lock of its key: it waits until that is over, and a later call takes its place"));
                }
                Debounce debounce = Debounce.of(job);
                if (debounce != null) {
                    reasons.add(debounced(Duration.ofMillis(debounce.pause())));
                }
                return reasons;
            }
        };
    }

    private static Finding replaced(String by) {
        return Finding.warning(
                "replaced",
                by.isEmpty() ? "?" : by,
                (by.isEmpty() ? "A later job" : "Job " + by)
                        + " has its lock and has replaced it, so it ends without being run when a worker takes it");
    }

    private static Finding debounced(Duration pause) {
        return Finding.info(
                "debounced",
                "",
                "It waits until no call with its key has come for " + pause + "; a later call takes its place",
                pause.toMillis());
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
