package dev.jobs.client;

import dev.jobs.redis.JobPushes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Stores the jobs of a client: in Redis, or in memory for tests. Thread-safe. */
public interface JobStore extends AutoCloseable {

    /** Sends jobs that all go to one queue, or all to the scheduled set; at most 1,000. */
    JobPushes.Sent send(List<ReadyJob> jobs);

    /**
     * Cancels a job, wherever it is.
     *
     * @return when it was cancelled: the given time, unless it had been cancelled before
     */
    Instant cancel(String jid, Instant now);

    /** How long a call may take. */
    Duration timeout();

    /** Switches to an id that no other client has. */
    default void renewId() {}

    @Override
    void close();
}
