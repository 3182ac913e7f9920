package dev.jobs.recurring;

import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.JobRegistry;
import dev.jobs.client.CheckedJob;

/**
 * Which queues are in the Redis where something lives that has jobs, such as a batch: all queues, unless the application
 * has several shards. Thread-safe.
 */
@Internal
public interface LocalQueues {

    /** Those of an application with a single Redis. */
    LocalQueues ALL = new LocalQueues() {};

    /** The name of the shard; empty if there is only one Redis. */
    default String shard() {
        return "";
    }

    /** Whether jobs of this queue may be here. */
    default boolean holds(String queue) {
        return true;
    }

    /** Whether what is declared once for a queue is declared here. */
    default boolean declares(String queue) {
        return true;
    }

    /** Whether this queue is nowhere, and it is said here rather than in the other shards. */
    default boolean misses(String queue) {
        return false;
    }

    /** Where the jobs of a queue are, for messages. */
    default String whereIs(String queue) {
        return "here";
    }

    /**
     * Checks that a job may be stored where that lives to which it belongs.
     *
     * @param registry knows the jobs
     * @param owner "this batch", as an example
     * @param instead what the caller can do; "that shard" is the one of the queue
     * @throws InvalidJobException if its queue is elsewhere
     */
    default void checkIsHere(CheckedJob job, JobRegistry registry, String owner, String instead) {}
}
