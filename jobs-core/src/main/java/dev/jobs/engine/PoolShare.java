package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.threads.ThreadGuard;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What one capsule has of the threads that it shares with capsules of other engines. Thread-safe. */
@Internal
public final class PoolShare {

    /** How long a capsule without room waits at most. Every reason to go on wakes it earlier. */
    static final Duration NOTHING_TO_DO = Duration.ofSeconds(1);

    /** How long a capsule whose queues were empty, and which has no room since, takes them for empty. */
    private static final Duration UNKNOWN_AFTER = Duration.ofMillis(100);

    /** How long a capsule counts as hungry that does not say so again. */
    private static final Duration HUNGRY_FOR = NOTHING_TO_DO.multipliedBy(2);

    private final ThreadPool pool;
    private final ThreadGuard guard;
    private final Runnable wake;
    private final Predicate<ThreadPool> leave;

    /** Jobs that count against the threads: claimed, and no thread is done with them yet. */
    private final AtomicInteger occupied = new AtomicInteger();

    /** Threads that are done with a job and notify listeners of its end. */
    private final AtomicInteger busy = new AtomicInteger();

    /** Jobs that are ready and have no thread yet. */
    private final AtomicInteger ready = new AtomicInteger();

    private volatile Predicate<ClaimedJob> processor = job -> true;
    private volatile int blocked;
    private volatile boolean hungry;
    private volatile boolean waiting;
    private volatile boolean quiet;
    private volatile boolean gone;
    private volatile long asked;
    private volatile long hungrySince;

    PoolShare(ThreadPool pool, ThreadGuard guard, Runnable wake, Predicate<ThreadPool> leave, long nanos) {
        this.pool = pool;
        this.guard = guard;
        this.wake = wake;
        this.leave = leave;
        this.asked = nanos;
    }

    ThreadGuard guard() {
        return guard;
    }

    /** How many jobs may run at once, over all capsules that share the threads. */
    public int concurrency() {
        return pool.concurrency();
    }

    // Claiming

    /**
     * How many more jobs may be claimed.
     *
     * @param blocked how many threads must stay free for jobs that Redis could not settle
     * @param ahead how many jobs are taken beyond the free threads
     */
    int room(int blocked, int ahead, long nanos) {
        this.blocked = blocked;
        return pool.threadsFor(this, nanos) + ahead - kept();
    }

    /** How many jobs to take beyond the free threads. */
    int ahead(long nanos) {
        return pool.readAhead().jobs(nanos) / Math.max(1, pool.hungry(nanos));
    }

    /** So many jobs have ended for good. */
    void ended(int jobs, long nanos) {
        pool.readAhead().ended(jobs, nanos);
    }

    /**
     * The capsule asked for jobs.
     *
     * @param filled whether its queues gave all that it asked for
     */
    void answered(boolean filled, long nanos) {
        asked = nanos;
        hungry(filled, nanos);
    }

    /** Jobs that could not start soon went back to their queues. */
    void gaveBack(long nanos) {
        pool.gaveBack();
        hungry(true, nanos);
    }

    private void hungry(boolean now, long nanos) {
        boolean satisfied = hungry && !now;
        hungrySince = nanos;
        hungry = now && !quiet;
        if (satisfied) {
            pool.freed(); // its part is for the others
        }
    }

    /** The capsule claims no more. */
    void quiet() {
        quiet = true;
        hungry(false, hungrySince);
    }

    /** Not if it has not said so lately: its Redis doesn't answer, and its part is for the others. */
    boolean isHungry(long nanos) {
        return hungry && nanos - hungrySince < HUNGRY_FOR.toNanos();
    }

    /**
     * The capsule has no room. If its queues may have jobs, it is woken when it may have some.
     *
     * @param rung whether a queue is known to have changed
     * @return after how long to look again at the latest
     */
    Duration awaitRoom(boolean rung, long nanos) {
        if (quiet || pool.isOfOne()) {
            return NOTHING_TO_DO; // the end of one of its own jobs wakes it
        }
        long left = UNKNOWN_AFTER.toNanos() - (nanos - asked);
        if (!rung && !hungry && left > 0) {
            return Duration.ofNanos(left);
        }
        hungry(true, nanos);
        waiting = true;
        return NOTHING_TO_DO;
    }

    boolean isWaiting() {
        return waiting;
    }

    void wakeIfWaiting() {
        if (waiting) {
            waiting = false;
            wake.run();
        }
    }

    // Jobs and the threads that they count against

    int occupied() {
        return occupied.get();
    }

    /** How many threads the capsule keeps from others. */
    int kept() {
        return occupied.get() + (gone ? 0 : blocked);
    }

    /** How many of these are not about to start. */
    int running() {
        return kept() - ready.get();
    }

    int busy() {
        return busy.get();
    }

    /** Whether the capsule has left, although threads may still be busy with its jobs. */
    boolean isGone() {
        return gone;
    }

    /** Whether no thread is busy with a job of the capsule. */
    boolean isIdle() {
        return occupied.get() == 0 && busy.get() == 0;
    }

    /** A job counts from now on. */
    void taken() {
        occupied.incrementAndGet();
    }

    /** A job counts no longer. */
    public void left() {
        occupied.decrementAndGet();
        pool.freed();
    }

    void notifying() {
        busy.incrementAndGet();
    }

    /** Returns whether others may have the thread for which jobs went back. */
    boolean notified() {
        busy.decrementAndGet();
        if (gone) {
            pool.freed();
        }
        return pool.notified();
    }

    /** Whether threads are done with jobs and busy with listeners, for whichever capsule. */
    boolean isAnyBusy() {
        return pool.busy() > 0;
    }

    /** Whether more jobs need a thread than there may be threads, over all capsules. */
    boolean isCrowded() {
        return pool.isCrowded();
    }

    // Jobs that wait for a thread

    /** Has a thread run a job. */
    void add(ClaimedJob job) {
        ready.incrementAndGet();
        pool.add(job, this);
    }

    int ready() {
        return ready.get();
    }

    /** The job of any capsule that has waited longest for a thread; null if none waits. */
    @Nullable ClaimedJob oldest() {
        return pool.oldest();
    }

    /** Removes and returns the capsule's ready jobs, newest first: the order in which they go back to their queues. */
    List<ClaimedJob> takeReady() {
        List<ClaimedJob> taken = pool.takeReady(this);
        ready.addAndGet(-taken.size());
        return taken;
    }

    /** A thread has taken a job; runs it there. Returns false if another thread has replaced it meanwhile. */
    boolean run(ClaimedJob job) {
        ready.decrementAndGet();
        return processor.test(job);
    }

    // Threads

    /** @param processor runs a job, and returns false if another thread has replaced this one meanwhile */
    void start(Predicate<ClaimedJob> processor) {
        this.processor = processor;
        pool.threads().start(pool::work);
    }

    /** All threads, which run jobs of the other capsules as well. */
    List<Thread> threads() {
        return pool.threads().all();
    }

    /** Replaces a thread by a new one. */
    boolean replace(Thread abandoned, Runnable first) {
        return pool.replace(abandoned, first);
    }

    /** Whether capsules of other engines have the same threads. */
    boolean isShared() {
        return !pool.isOfOne();
    }

    /**
     * The capsule runs no more jobs; those that it still runs keep their threads. Jobs that wait for a thread have been
     * handed back. Returns whether it was the last one, so that the threads end as well.
     */
    boolean leave() {
        takeReady().forEach(job -> left());
        gone = true;
        return leave.test(pool);
    }
}
