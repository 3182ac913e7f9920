package dev.jobs.client;

import dev.jobs.Internal;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.redis.CallBounds;
import dev.jobs.store.Check;
import dev.jobs.store.JobPushes;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/** Stores the jobs of a client: in Redis, or in memory for tests. Thread-safe. */
@Internal
public interface JobStore extends AutoCloseable {

    /**
     * Opens what the first job would have to wait for. Does nothing if that is open.
     *
     * @throws dev.jobs.JobStoreException if a server can't be reached; the first job tries again
     */
    default void open() {}

    /** Sends jobs that all go to one queue, or all to the scheduled set; at most 1,000. */
    JobPushes.Sent send(List<ReadyJob> jobs);

    /**
     * The checks that the store makes when it stores a payload.
     *
     * @param registry the jobs that the client knows
     * @param clock what delays are counted from; asked only if there are checks
     * @throws dev.jobs.InvalidJobException if this store can't keep the job
     */
    default List<Check> checks(Payload payload, JobRegistry registry, InstantSource clock) {
        return List.of();
    }

    /** The shard that stores a job; the same for all jobs if there is only one. */
    default String shard(ReadyJob job) {
        return "";
    }

    /** Whether jobs go to several shards. */
    default boolean hasShards() {
        return false;
    }

    /** Whether storing jobs may take as long as a server that is silent. */
    default boolean waitsForServer() {
        return false;
    }

    /**
     * Cancels a job, wherever it is.
     *
     * @return when it was cancelled: the given time, unless it had been cancelled before
     */
    Instant cancel(String jid, Instant now);

    /** Where the results of jobs are found. */
    ResultStore results();

    /** Whether the jobs of a queue wait in a sorted set. */
    default boolean isSorted(String queue) {
        return false;
    }

    /**
     * How many bytes of payloads one call stores at most, unless it stores a single larger one: Redis reads it as a
     * whole, and must still answer other clients soon.
     */
    default int callBytes() {
        return CallBounds.STANDARD.bytes();
    }

    /** How long a call may take. */
    Duration timeout();

    /** Switches to an id that no other client has. */
    default void renewId() {}

    @Override
    void close();
}
