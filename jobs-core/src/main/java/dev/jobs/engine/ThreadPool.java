package dev.jobs.engine;

import dev.jobs.store.JobClaims;
import dev.jobs.threads.ThreadGuard;
import dev.jobs.threads.ThreadSnapshot;
import dev.jobs.threads.ThreadState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The threads for all capsules of one name in a process, one capsule for each engine; the jobs that are ready for these
 * threads, oldest first, and which capsule may claim how many.
 *
 * <p>A capsule is <em>hungry</em> while its queues gave all that it asked for, or may have jobs that it had no room to
 * ask for. While several are, each keeps to an equal part of the threads, so a thread that one leaves goes to another;
 * if the threads can't be divided evenly, the rest goes around. A capsule that is alone, or alone hungry, may use all.
 * Thread-safe.
 */
final class ThreadPool {

    private final int concurrency;
    private final List<PoolShare> shares = new CopyOnWriteArrayList<>();
    private final ProcessorThreads threads;

    /** Jobs that wait for a thread, oldest first. An empty element ends a thread and stays there for the others. */
    private final BlockingQueue<Optional<ClaimedJob>> ready = new LinkedBlockingQueue<>();

    private final List<ThreadState> states;
    private final ReadAhead readAhead;
    private final AtomicInteger turn = new AtomicInteger();

    /**
     * How many threads that notify listeners took so long that jobs had to go back: until they finish, these threads
     * are not counted as usable.
     */
    private volatile int slow;

    /**
     * @param concurrency how many jobs may run at once
     * @param environment gives the threads, and says what jobs may leave on them
     */
    ThreadPool(String capsule, int concurrency, EngineEnvironment environment) {
        this.concurrency = concurrency;
        this.states = environment.threadStates();
        this.readAhead = new ReadAhead(environment.nanoTime().getAsLong());
        this.threads = new ProcessorThreads(
                "jobs-" + capsule + "-", concurrency, environment.processorThreads(), this::guards);
    }

    int concurrency() {
        return concurrency;
    }

    ProcessorThreads threads() {
        return threads;
    }

    ReadAhead readAhead() {
        return readAhead;
    }

    void add(PoolShare share) {
        shares.add(share);
    }

    /**
     * A capsule has left. It stays here while threads are busy with its jobs, since these are missing to the others.
     *
     * @return whether it was the last; then the threads end once all ready jobs are taken
     */
    boolean left() {
        forgetGone();
        wakeWaiting();
        if (!shares.stream().allMatch(PoolShare::isGone)) {
            return false;
        }
        threads.end();
        ready.add(Optional.empty());
        return true;
    }

    private void forgetGone() {
        shares.removeIf(share -> share.isGone() && share.isIdle());
    }

    /** Whether a single capsule has them all. */
    boolean isOfOne() {
        return shares.size() == 1;
    }

    private List<ThreadGuard> guards() {
        return shares.stream().map(PoolShare::guard).toList();
    }

    /** What each thread does. What a job leaves on it, the next one doesn't find. */
    void work() {
        ThreadSnapshot own = ThreadSnapshot.take(states);
        while (true) {
            try {
                Optional<ClaimedJob> next = ready.take();
                if (next.isEmpty()) {
                    ready.add(next);
                    return;
                }
                ClaimedJob job = next.get();
                if (!job.share().run(job)) {
                    return;
                }
                own.restore();
            } catch (InterruptedException e) {
                // Meant for a job that ended at the same moment; this thread ends through the queue.
            }
        }
    }

    /** Has a thread run a job, and starts threads for jobs that have no thread yet. */
    void add(ClaimedJob job, PoolShare share) {
        job.waitsIn(share);
        ready.add(Optional.of(job));
        threads.need(sum(each -> each.occupied() + each.busy()));
    }

    /** The job that has waited longest for a thread; null if none waits. */
    @Nullable ClaimedJob oldest() {
        Optional<ClaimedJob> next = ready.peek();
        return next == null ? null : next.orElse(null);
    }

    /** Removes and returns all jobs of a capsule that wait for a thread, newest first; those of others wait on. */
    List<ClaimedJob> takeReady(PoolShare share) {
        List<Optional<ClaimedJob>> all = new ArrayList<>();
        ready.drainTo(all);
        List<ClaimedJob> taken = new ArrayList<>();
        for (Optional<ClaimedJob> each : all) {
            if (each.isPresent() && each.get().share() == share) {
                taken.add(each.get());
            } else {
                ready.add(each);
            }
        }
        Collections.reverse(taken);
        return taken;
    }

    /** Whether more jobs need a thread than there may be threads. */
    boolean isCrowded() {
        return sum(share -> share.occupied() + share.busy()) > concurrency;
    }

    /** How many threads notify listeners, for whichever capsule. */
    int busy() {
        return sum(PoolShare::busy);
    }

    /** Jobs went back because all threads were taken: no others may be claimed for those that notify listeners. */
    void gaveBack() {
        slow = busy();
    }

    /** A thread has notified its listeners. Returns whether others may have it, since jobs went back for it. */
    boolean notified() {
        int missing = slow;
        if (missing == 0 || busy() >= missing) {
            return false;
        }
        wakeWaiting();
        return true;
    }

    /** How many threads there are, without those of slow listeners. */
    private int usable() {
        int missing = slow;
        if (missing == 0) {
            return concurrency;
        }
        int left = Math.min(missing, busy());
        slow = left;
        return concurrency - left;
    }

    private int sum(ToIntFunction<PoolShare> part) {
        int sum = 0;
        for (PoolShare each : shares) {
            sum += part.applyAsInt(each);
        }
        return sum;
    }

    /** Replaces a thread by a new one. */
    boolean replace(Thread abandoned, Runnable first) {
        return threads.replace(abandoned, () -> {
            ThreadSnapshot own = ThreadSnapshot.take(states);
            first.run();
            own.restore();
        });
    }

    /** How many threads are left for one capsule, which has taken none of them. */
    int threadsFor(PoolShare share, long nanos) {
        int usable = usable();
        if (isOfOne()) {
            return usable;
        }
        int hungry = hungry(nanos);
        int others = 0;
        for (PoolShare each : shares) {
            if (each != share) {
                // what is ready but beyond its part goes back, or starts soon
                others += Math.max(Math.min(each.kept(), part(each, usable, hungry, nanos)), each.running());
            }
        }
        return Math.min(usable - others, part(share, usable, hungry, nanos));
    }

    /** How many capsules are hungry. */
    int hungry(long nanos) {
        return sum(share -> share.isHungry(nanos) ? 1 : 0);
    }

    /** How many of the usable threads a capsule may take while so many are hungry. */
    private int part(PoolShare share, int usable, int hungry, long nanos) {
        if (hungry == 0 || hungry == 1 && share.isHungry(nanos)) {
            return usable;
        }
        if (!share.isHungry(nanos)) {
            return usable - 1; // one that becomes free is for those that are
        }
        int before = 0;
        for (PoolShare each : shares) {
            if (each == share) {
                break;
            }
            before += each.isHungry(nanos) ? 1 : 0;
        }
        int position = Math.floorMod(before + turn.get(), hungry);
        return usable / hungry + (position < usable % hungry ? 1 : 0);
    }

    /** A capsule needs one thread fewer, or is no longer hungry. */
    void freed() {
        if (!isOfOne()) {
            turn.incrementAndGet();
            forgetGone();
            wakeWaiting();
        }
    }

    private void wakeWaiting() {
        shares.forEach(PoolShare::wakeIfWaiting);
    }

    /**
     * How many jobs the capsules that share threads take beyond the free ones, so that processors need not wait for
     * Redis while there are more jobs: as many as ended within the last {@link #WINDOW}. Jobs taken early therefore
     * start about as soon as they would elsewhere, and none are taken early where jobs take long.
     *
     * <p>The count fades: after a window without any job, e⁻¹ of it is left. Thread-safe.
     */
    static final class ReadAhead {

        static final Duration WINDOW = Duration.ofMillis(10);

        /** Three exchanges: the jobs of one run while two others are under way. */
        static final int MOST = 3 * JobClaims.BATCH;

        private double ended;
        private long since;

        /** @param nanos the time, on a clock that only goes forward */
        ReadAhead(long nanos) {
            this.since = nanos;
        }

        synchronized void ended(int jobs, long nanos) {
            ended = Math.min(MOST, ended * Math.exp(-(double) (nanos - since) / WINDOW.toNanos()) + jobs);
            since = nanos;
        }

        synchronized int jobs(long nanos) {
            ended(0, nanos);
            return (int) ended;
        }
    }
}
