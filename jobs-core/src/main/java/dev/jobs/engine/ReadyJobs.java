package dev.jobs.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** Claimed jobs that wait for a processor, oldest first. Thread-safe. */
final class ReadyJobs {

    /**
     * A job that is ready to run.
     *
     * @param share of the capsule that claimed it
     */
    record Ready(ClaimedJob job, PlaceShare share) {

        /** Runs it. Returns false if this thread has lost its place meanwhile. */
        boolean run() {
            return share.run(job);
        }
    }

    /** An empty element ends a processor and stays in the queue for the others. */
    private final BlockingQueue<Optional<Ready>> jobs = new LinkedBlockingQueue<>();

    void add(ClaimedJob job, PlaceShare share) {
        jobs.add(Optional.of(new Ready(job, share)));
    }

    /** Waits for a job. Returns null if no more will come. */
    @Nullable Ready take() throws InterruptedException {
        Optional<Ready> next = jobs.take();
        if (next.isEmpty()) {
            jobs.add(next);
        }
        return next.orElse(null);
    }

    /** The job that has waited longest, or null. */
    @Nullable ClaimedJob oldest() {
        Optional<Ready> next = jobs.peek();
        return next == null ? null : next.map(Ready::job).orElse(null);
    }

    /** Removes and returns all jobs of a capsule, newest first; those of others wait on. */
    List<ClaimedJob> takeAll(PlaceShare share) {
        List<Optional<Ready>> all = new ArrayList<>();
        jobs.drainTo(all);
        List<ClaimedJob> taken = new ArrayList<>();
        for (Optional<Ready> each : all) {
            if (each.isPresent() && each.get().share() == share) {
                taken.add(each.get().job());
            } else {
                jobs.add(each);
            }
        }
        Collections.reverse(taken);
        return taken;
    }

    /** Lets the processors end once all jobs are taken. */
    void end() {
        jobs.add(Optional.empty());
    }
}
