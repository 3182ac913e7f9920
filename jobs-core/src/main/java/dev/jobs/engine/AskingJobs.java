package dev.jobs.engine;

import dev.jobs.redis.CallBounds;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/**
 * Claimed jobs that may not start before Redis says so, in the order in which they were claimed; behind them those
 * that asked in vain. Each counts against the threads until it goes away other than by {@link #remove}. Thread-safe.
 */
final class AskingJobs {

    private final Queue<ClaimedJob> jobs = new ConcurrentLinkedQueue<>();
    private final ThreadPool.Share share;
    private final CallBounds bounds;
    private final Runnable wake;

    /**
     * @param share of the threads, against which the jobs count
     * @param wake has the fetcher ask again at once
     */
    AskingJobs(ThreadPool.Share share, CallBounds bounds, Runnable wake) {
        this.share = share;
        this.bounds = bounds;
        this.wake = wake;
    }

    boolean isEmpty() {
        return jobs.isEmpty();
    }

    void add(ClaimedJob job) {
        jobs.add(job);
        if (!job.isOurs()) {
            handedBack(job); // just before, so it was not found here
        }
    }

    /** Returns whether it was there; then it still counts against the threads. */
    boolean remove(ClaimedJob job) {
        return jobs.remove(job);
    }

    /** A job that may be here waits no longer. */
    void handedBack(ClaimedJob job) {
        if (jobs.remove(job)) {
            share.left();
        }
    }

    /** A job asks again after all others, for which there may be an answer. */
    void toEnd(ClaimedJob job) {
        if (jobs.remove(job)) {
            add(job);
        }
    }

    boolean isAny(Predicate<? super ClaimedJob> which) {
        return jobs.stream().anyMatch(which);
    }

    /** The first such ones, as many as one call may carry; others ask soon. Without those that were just taken away. */
    List<ClaimedJob> some(Predicate<? super ClaimedJob> which) {
        List<ClaimedJob> first = jobs.stream()
                .filter(job -> job.isOurs() && which.test(job))
                .limit(CallBounds.JOBS + 1) // shows whether one call carries all
                .toList();
        if (first.isEmpty()) {
            return first;
        }
        List<ClaimedJob> some = bounds.cut(first, job -> job.stored().length).get(0); // the script reads them
        if (first.size() > some.size()) {
            wake.run();
        }
        return some;
    }

    /** All were lost. */
    void clear() {
        while (jobs.poll() != null) {
            share.left();
        }
    }
}
