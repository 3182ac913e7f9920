package dev.jobs.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** Claimed jobs that wait for a processor of their capsule, oldest first. Thread-safe. */
final class ReadyJobs {

    /** An empty element ends a processor and stays in the queue for the others. */
    private final BlockingQueue<Optional<ClaimedJob>> jobs = new LinkedBlockingQueue<>();

    void add(ClaimedJob job) {
        jobs.add(Optional.of(job));
    }

    /** Waits for a job. Returns null if no more will come. */
    @Nullable ClaimedJob take() throws InterruptedException {
        Optional<ClaimedJob> next = jobs.take();
        if (next.isEmpty()) {
            jobs.add(next);
        }
        return next.orElse(null);
    }

    int size() {
        return jobs.size();
    }

    /** The job that has waited longest, or null. */
    @Nullable ClaimedJob oldest() {
        Optional<ClaimedJob> next = jobs.peek();
        return next == null ? null : next.orElse(null);
    }

    /** Removes and returns all jobs, newest first: the order in which they go back to the front of their queues. */
    List<ClaimedJob> takeAll() {
        List<Optional<ClaimedJob>> all = new ArrayList<>();
        jobs.drainTo(all);
        List<ClaimedJob> taken = new ArrayList<>();
        for (Optional<ClaimedJob> each : all) {
            each.ifPresentOrElse(taken::add, this::end);
        }
        Collections.reverse(taken);
        return taken;
    }

    /** Lets the processors end once all jobs are taken. */
    void end() {
        jobs.add(Optional.empty());
    }
}
