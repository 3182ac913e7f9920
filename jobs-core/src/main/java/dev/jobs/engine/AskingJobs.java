package dev.jobs.engine;

import dev.jobs.redis.CallLimits;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Claimed jobs that have limits and wait for their permits, in the order in which they were claimed; behind them those
 * that asked in vain. Thread-safe.
 */
final class AskingJobs {

    private final Queue<ClaimedJob> jobs = new ConcurrentLinkedQueue<>();
    private final Runnable wake;

    /** @param wake has the fetcher ask again at once */
    AskingJobs(Runnable wake) {
        this.wake = wake;
    }

    boolean isEmpty() {
        return jobs.isEmpty();
    }

    void add(ClaimedJob job) {
        jobs.add(job);
    }

    void remove(ClaimedJob job) {
        jobs.remove(job);
    }

    /** A job asks again after all others, for which there may be an answer. */
    void toEnd(ClaimedJob job) {
        if (jobs.remove(job)) {
            jobs.add(job);
        }
    }

    /** The first ones, as many as one call may carry; others ask soon. Drops those that were taken away meanwhile. */
    List<ClaimedJob> some() {
        jobs.removeIf(job -> !job.isOurs());
        List<ClaimedJob> first = jobs.stream().limit(CallLimits.JOBS).toList();
        if (first.isEmpty()) {
            return first;
        }
        List<ClaimedJob> some =
                CallLimits.cut(first, job -> job.stored().length).get(0); // the script reads them
        if (jobs.size() > some.size()) {
            wake.run();
        }
        return some;
    }

    /** Returns how many there were. */
    int clear() {
        int count = jobs.size();
        jobs.clear();
        return count;
    }
}
