package dev.jobs.benchmarks.driver;

import java.time.Instant;
import java.util.List;

/**
 * Drives a library under test, in its own JVM. Requests come one after the other, each on an empty store. Workers count
 * as started when they could run a job. A driver that can't do something throws {@link UnsupportedOperationException}
 * with the reason.
 */
public interface BenchmarkDriver {

    /** The library's name, version and relevant settings, for the reader of the results. */
    String description();

    /** Empties the store. Redis is already empty, so this concerns only other stores and data in memory. */
    default void clear() throws Exception {}

    /** Enqueues no-op jobs that are due at once, one call each. May be called concurrently. */
    void enqueueSingly(int jobs) throws Exception;

    /** Enqueues no-op jobs that are due at once, in the quickest way. */
    void enqueueInBulk(int jobs) throws Exception;

    /** Enqueues one job that notifies the {@link Tally} when its method is entered. */
    void enqueueTimed(long id) throws Exception;

    /** Schedules such jobs for one instant. */
    void scheduleTimed(List<Long> ids, Instant at) throws Exception;

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
