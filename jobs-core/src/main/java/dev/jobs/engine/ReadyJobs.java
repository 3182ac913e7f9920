package dev.jobs.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** Claimed jobs that wait for a processor, oldest first, and what else needs one. Thread-safe. */
final class ReadyJobs {

    private static final Runnable NOTHING = () -> {};

    /**
     * A job that is ready to run, or something else that needs a thread.
     *
     * @param job null for something else
     * @param share of the capsule that claimed it
     */
    record Ready(@Nullable ClaimedJob job, PlaceShare share, Runnable action) {

        /** Runs it. Returns false if this thread has lost its place meanwhile. */
        boolean run() {
            if (job != null) {
                return share.run(job);
            }
            action.run();
            return true;
        }
    }

    /** An empty element ends a processor and stays in the queue for the others. */
    private final BlockingQueue<Optional<Ready>> jobs = new LinkedBlockingQueue<>();

    void add(ClaimedJob job, PlaceShare share) {
        jobs.add(Optional.of(new Ready(job, share, NOTHING)));
    }

    void add(Runnable action, PlaceShare share) {
        jobs.add(Optional.of(new Ready(null, share, action)));
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
        if (next == null || next.isEmpty()) {
            return null;
        }
        if (next.get().job() != null) {
            return next.get().job();
        }
        return jobs.stream()
                .flatMap(Optional::stream)
                .map(Ready::job)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Removes and returns all jobs of a capsule, newest first; those of others wait on. */
    List<ClaimedJob> takeAll(PlaceShare share) {
        List<Optional<Ready>> all = new ArrayList<>();
        jobs.drainTo(all);
        List<ClaimedJob> taken = new ArrayList<>();
        for (Optional<Ready> each : all) {
            ClaimedJob job =
                    each.isPresent() && each.get().share() == share ? each.get().job() : null;
            if (job != null) {
                taken.add(job);
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
