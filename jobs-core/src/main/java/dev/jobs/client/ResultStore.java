package dev.jobs.client;

import dev.jobs.Internal;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a client finds the results of jobs: in Redis, in several, or in memory for tests. Thread-safe. */
@Internal
public interface ResultStore {

    /** What is kept of a job's end, as JSON; null if there is nothing. */
    byte @Nullable [] find(String jid);

    /**
     * Waits until jobs of a client have ended, for {@link #longestCall} at most, and takes their jids. For one thread
     * at a time.
     *
     * @return may be empty; {@link dev.jobs.results.JobResults#ANY} stands for every job
     */
    List<String> next(String client);

    /** How long a call of {@link #next} may take. */
    Duration longestCall();

    /** The stores whose {@link #next} must be called instead of this one's, each by a thread of its own. */
    default List<ResultStore> parts() {
        return List.of(this);
    }

    /** A thread is about to wait. Returns whether jobs end while it does. */
    default boolean beginWait() {
        return true;
    }
}
