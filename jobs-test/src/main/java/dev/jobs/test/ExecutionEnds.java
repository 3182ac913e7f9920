package dev.jobs.test;

import dev.jobs.JobContext;
import dev.jobs.JobListener;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** How the executions of each job ended. Thread-safe. */
final class ExecutionEnds implements JobListener {

    /**
     * The executions of one job.
     *
     * @param count those that ended
     * @param last how the last one ended
     * @param failure what the last one threw, or null
     */
    record Executed(int count, Ending last, @Nullable Throwable failure) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private final Map<String, Executed> byJid = new HashMap<>();
    private final Set<JobContext> begun = Collections.newSetFromMap(new IdentityHashMap<>());

    @Override
    public void started(JobContext job) {
        lock.lock();
        try {
            begun.add(job);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void finished(JobContext job, Ending ending, Duration took, @Nullable Throwable failure) {
        lock.lock();
        try {
            begun.remove(job);
            byJid.merge(
                    job.jid(),
                    new Executed(1, ending, failure),
                    (before, now) -> new Executed(before.count() + 1, ending, failure));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The number of executions that have begun and have not ended, or whose end is still to be heard of here. */
    int unheard() {
        lock.lock();
        try {
            return begun.size();
        } finally {
            lock.unlock();
        }
    }

    /** The executions of a job; null if none has ended. */
    @Nullable Executed of(String jid) {
        lock.lock();
        try {
            return byJid.get(jid);
        } finally {
            lock.unlock();
        }
    }

    void clear() {
        lock.lock();
        try {
            byJid.clear();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until a condition is true, and evaluates it whenever an execution has ended, and every few milliseconds.
     *
     * @return whether it became true in time
     */
    boolean await(BooleanSupplier condition, Duration atMost) {
        long deadline = System.nanoTime() + atMost.toNanos();
        lock.lock();
        try {
            while (!condition.getAsBoolean()) {
                if (System.nanoTime() - deadline >= 0) {
                    return false;
                }
                changed.awaitNanos(TimeUnit.MILLISECONDS.toNanos(2));
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for jobs", e);
        } finally {
            lock.unlock();
        }
    }
}
