package dev.jobs.engine;

import dev.jobs.threads.ProcessorThreads;
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
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The threads of a capsule and the jobs that are ready for them, oldest first. Engines of one process may share it:
 * then it has a {@link Share} for the capsule of each, and {@link FairShares} say which may claim how many jobs.
 * Thread-safe.
 */
final class ThreadPool {

    /** How long a capsule without room waits at most. Every reason to go on wakes it earlier. */
    static final Duration NOTHING_TO_DO = Duration.ofSeconds(1);

    private final int concurrency;
    private final Predicate<ThreadPool> leave;
    private final List<Share> shares = new CopyOnWriteArrayList<>();
    private final FairShares fair = new FairShares(shares);
    private final ProcessorThreads threads;

    /** Jobs that wait for a thread, oldest first. An empty element ends a thread and stays there for the others. */
    private final BlockingQueue<Optional<ClaimedJob>> readyJobs = new LinkedBlockingQueue<>();

    private final List<ThreadState> states;
    private final ReadAhead readAhead;

    /**
     * How many threads that notify listeners took so long that jobs had to go back: until they finish, these threads
     * are not counted as usable.
     */
    private volatile int slow;

    /**
     * @param environment gives the threads, and says what jobs may leave on them
     * @param leave called when a capsule leaves; returns whether it was the last
     */
    ThreadPool(CapsuleConfig capsule, EngineEnvironment environment, Predicate<ThreadPool> leave) {
        this.concurrency = capsule.concurrency();
        this.leave = leave;
        this.states = environment.threadStates();
        this.readAhead = new ReadAhead(environment.nanoTime().getAsLong());
        this.threads = new ProcessorThreads(
                "jobs-" + capsule.name() + "-",
                concurrency,
                environment.processorThreads(),
                this::work,
                () -> shares.stream().map(share -> share.guard).toList());
    }

    int concurrency() {
        return concurrency;
    }

    /** Gives a capsule its share. */
    Share join(ThreadGuard guard, Runnable wake, long nanos) {
        Share share = new Share(guard, wake, nanos);
        shares.add(share);
        return share;
    }

    /** A capsule has left. Returns whether it was the last; then the threads end once all ready jobs are taken. */
    boolean left() {
        fair.left();
        if (!shares.stream().allMatch(Share::isGone)) {
            return false;
        }
        threads.end();
        readyJobs.add(Optional.empty());
        return true;
    }

    /** What each thread does. What a job leaves on it, the next one doesn't find. */
    private void work() {
        ThreadSnapshot own = ThreadSnapshot.take(states);
        while (true) {
            try {
                Optional<ClaimedJob> next = readyJobs.take();
                if (next.isEmpty()) {
                    readyJobs.add(next);
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

    /** How many threads there are, without those of slow listeners. */
    private int usable() {
        int missing = slow;
        if (missing == 0) {
            return concurrency;
        }
        int left = Math.min(missing, notifying());
        slow = left;
        return concurrency - left;
    }

    /** How many threads notify listeners, for whichever capsule. */
    private int notifying() {
        return sum(share -> share.busy.get());
    }

    /** How many threads the jobs of all capsules need. */
    private int needed() {
        return sum(share -> share.occupied.get() + share.busy.get());
    }

    private int sum(ToIntFunction<Share> part) {
        int sum = 0;
        for (Share each : shares) {
            sum += part.applyAsInt(each);
        }
        return sum;
    }

    /** What one capsule has of the threads. Thread-safe. */
    final class Share {

        private final ThreadGuard guard;
        private final Runnable wake;

        /** Jobs that count against the threads: claimed, and no thread is done with them yet. */
        private final AtomicInteger occupied = new AtomicInteger();

        /** Threads that are done with a job and notify listeners of its end. */
        private final AtomicInteger busy = new AtomicInteger();

        /** Jobs that are ready and have no thread yet. */
        private final AtomicInteger ready = new AtomicInteger();

        private volatile Predicate<ClaimedJob> processor = job -> true;
        private volatile int blocked;
        private volatile boolean quiet;
        private volatile boolean gone;
        private volatile boolean hungry;
        private volatile long toldNanos;

        private Share(ThreadGuard guard, Runnable wake, long nanos) {
            this.guard = guard;
            this.wake = wake;
            this.toldNanos = nanos;
        }

        int concurrency() {
            return concurrency;
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
            int usable = usable();
            return (isShared() ? fair.threadsFor(this, usable, nanos) : usable) + ahead - kept();
        }

        /** How many jobs to take beyond the free threads. */
        int ahead(long nanos) {
            int ahead = readAhead.jobs(nanos);
            return isShared() ? ahead / Math.max(1, fair.hungry(nanos)) : ahead;
        }

        /** So many jobs have ended for good. */
        void ended(int jobs, long nanos) {
            readAhead.ended(jobs, nanos);
        }

        /** Jobs that could not start soon went back: no others are claimed for threads that notify listeners. */
        void gaveBack(long nanos) {
            slow = notifying();
            hungry(true, nanos);
        }

        /** Whether the capsule's queues gave all that it asked for, or may have jobs that it had no room to ask for. */
        void hungry(boolean now, long nanos) {
            boolean satisfied = hungry && !now;
            toldNanos = nanos;
            hungry = now && !quiet;
            if (satisfied) {
                freed(); // its part is for the others
            }
        }

        /** The capsule claims no more. */
        void quiet() {
            quiet = true;
            hungry(false, toldNanos);
        }

        boolean isHungry() {
            return hungry;
        }

        /** When the capsule last said whether it is hungry. */
        long toldNanos() {
            return toldNanos;
        }

        /** Has a capsule that has no room woken when there may be some. Returns how long to wait for it at most. */
        Duration awaitRoom(int blocked, boolean rung, long nanos) {
            // the end of one of its own jobs wakes it anyway
            return quiet || !isShared() ? NOTHING_TO_DO : fair.awaitRoom(this, blocked, rung, nanos);
        }

        void wake() {
            wake.run();
        }

        // Jobs and the threads that they count against

        /** How many threads the capsule keeps from others. */
        int kept() {
            return occupied.get() + (gone ? 0 : blocked);
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
        void left() {
            occupied.decrementAndGet();
            freed();
        }

        private void freed() {
            if (isShared()) {
                fair.freed();
            }
        }

        /** A thread is done with a job, and notifies listeners until it {@linkplain #notified() has}. */
        void notifies() {
            busy.incrementAndGet();
        }

        /** A thread has notified its listeners. Returns whether others may have it, since jobs went back for it. */
        boolean notified() {
            busy.decrementAndGet();
            if (gone) {
                freed();
            }
            int missing = slow;
            if (missing == 0 || notifying() >= missing) {
                return false;
            }
            if (isShared()) {
                fair.wakeWaiting();
            }
            return true;
        }

        /** Whether threads are done with jobs and busy with listeners, for whichever capsule. */
        boolean isAnyBusy() {
            return notifying() > 0;
        }

        /** Starts threads for jobs that have none, in case that one could not be started before. */
        void startThreads() {
            threads.need(needed());
        }

        /** Whether more jobs need a thread than there may be threads, over all capsules. */
        boolean isCrowded() {
            return needed() > concurrency;
        }

        // Jobs that wait for a thread

        /** Has a thread run a job, and starts threads for jobs that have no thread yet. */
        void add(ClaimedJob job) {
            ready.incrementAndGet();
            job.waitsIn(this);
            readyJobs.add(Optional.of(job));
            startThreads();
        }

        int ready() {
            return ready.get();
        }

        /** The job of any capsule that has waited longest for a thread; null if none waits. */
        @Nullable ClaimedJob oldest() {
            Optional<ClaimedJob> next = readyJobs.peek();
            return next == null ? null : next.orElse(null);
        }

        /**
         * Removes and returns the capsule's ready jobs, newest first: the order in which they go back to their queues.
         * Those of others wait on.
         */
        List<ClaimedJob> takeReady() {
            List<Optional<ClaimedJob>> all = new ArrayList<>();
            readyJobs.drainTo(all);
            List<ClaimedJob> taken = new ArrayList<>();
            for (Optional<ClaimedJob> each : all) {
                if (each.isPresent() && each.get().share() == this) {
                    taken.add(each.get());
                } else {
                    readyJobs.add(each);
                }
            }
            Collections.reverse(taken);
            ready.addAndGet(-taken.size());
            return taken;
        }

        /** A thread has taken a job; runs it there. Returns false if another thread has replaced it meanwhile. */
        private boolean run(ClaimedJob job) {
            ready.decrementAndGet();
            return processor.test(job);
        }

        // Threads

        /** @param processor runs a job, and returns false if another thread has replaced this one meanwhile */
        void start(Predicate<ClaimedJob> processor) {
            this.processor = processor;
            threads.prepare();
        }

        /** All threads, which run jobs of the other capsules as well. */
        List<Thread> threads() {
            return threads.all();
        }

        /** Replaces a thread by a new one. */
        boolean replace(Thread abandoned, Runnable first) {
            return threads.replace(abandoned, () -> {
                ThreadSnapshot own = ThreadSnapshot.take(states);
                first.run();
                own.restore();
            });
        }

        /** Whether capsules of other engines have the same threads. */
        boolean isShared() {
            return shares.size() != 1;
        }

        /**
         * The capsule runs no more jobs; those that it still runs keep their threads. Jobs that wait for a thread have
         * been handed back. Returns whether it was the last one, so that the threads end as well.
         */
        boolean leave() {
            takeReady().forEach(job -> left());
            gone = true;
            return leave.test(ThreadPool.this);
        }
    }
}
