package dev.jobs.benchmarks.driver;

import java.time.Instant;
import java.util.List;

/**
 * Drives a library under test, in its own JVM. Requests come one after the other, each on an empty store. Every job
 * takes the three {@link Arguments} and passes its number to the {@link Tally}. Workers count as started when they
 * could run a job. A driver that can't do something throws {@link UnsupportedOperationException} with the reason.
 */
public interface BenchmarkDriver {

    /** The library's name, version and relevant settings, for the reader of the results. */
    String description();

    /** Empties the store. Redis is already empty, so this concerns only other stores and data in memory. */
    default void clear() throws Exception {}

    /** Enqueues jobs that are due at once, one call each. May be called concurrently. */
    void enqueueSingly(Arguments arguments, int jobs) throws Exception;

    /**
     * Enqueues jobs that are due at once, one call each, of which one for each key is stored. May be called
     * concurrently.
     *
     * @param keys the keys of the jobs
     */
    default void enqueueUnique(Arguments arguments, List<String> keys) throws Exception {
        throw new UnsupportedOperationException("has no unique jobs, or its driver doesn't use them");
    }

    /**
     * Enqueues jobs that are due at once, in the quickest way, of which only so many run at once over all workers.
     *
     * @param permits how many, 1 to 1,000,000
     */
    default void enqueueLimited(Arguments arguments, int jobs, int permits) throws Exception {
        throw new UnsupportedOperationException("has no limit over all workers, or its driver doesn't use it");
    }

    /** Enqueues jobs that are due at once, in the quickest way. */
    void enqueueInBulk(Arguments arguments, int jobs) throws Exception;

    /** Schedules jobs for one instant. */
    void schedule(List<Arguments> jobs, Instant at) throws Exception;

    /**
     * Starts workers in this JVM.
     *
     * @param concurrency jobs at once
     * @param tally is notified of each job by the thread that runs it
     */
    void startWorkers(int concurrency, Tally tally) throws Exception;

    void stopWorkers() throws Exception;

    void close() throws Exception;
}
