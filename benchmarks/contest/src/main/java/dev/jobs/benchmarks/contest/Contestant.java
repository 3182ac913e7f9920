package dev.jobs.benchmarks.contest;

import java.time.Instant;
import java.util.List;

/**
 * A library under test, in a JVM of its own. What it is asked for comes one after the other, each on an empty store. Workers count as
 * started when they could run a job. A contestant that can't do something throws {@link UnsupportedOperationException} with the reason.
 */
public interface Contestant {

    /** Name, version and the settings that matter, for the reader of the results. */
    String description();

    /** Makes the store empty. Redis was emptied already, so only other stores and what is kept in memory is left to do. */
    default void clear() throws Exception {}

    /** Enqueues no-op jobs that are due at once, one call each. Several threads may call it at once. */
    void enqueueSingly(int jobs) throws Exception;

    /** Enqueues no-op jobs that are due at once, the quickest way there is. */
    void enqueueInBulk(int jobs) throws Exception;

    /** Enqueues one job that tells the {@link Tally} when its method is entered. */
    void enqueueTimed(long id) throws Exception;

    /** Schedules such jobs for one instant. */
    void scheduleTimed(List<Long> ids, Instant at) throws Exception;

    /**
     * Starts workers in this JVM.
     *
     * @param concurrency jobs at once
     * @param tally is told of each job, by the thread that runs it
     */
    void startWorkers(int concurrency, Tally tally) throws Exception;

    void stopWorkers() throws Exception;

    void close() throws Exception;
}
