package dev.jobs.shards.spring;

import dev.jobs.JobClient;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.Batches;
import dev.jobs.limiters.Limiters;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.shards.ShardMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All shards of this application's jobs; without configured shards, home alone. In tests with the test kit, each of them
 * is home under another name. Thread-safe.
 */
public interface JobShards {

    /** Which shard holds the jobs of each queue. */
    ShardMap map();

    /** All shards, home first. */
    List<Shard> all();

    /**
     * A shard by its name.
     *
     * @throws IllegalArgumentException if there is none of that name
     */
    Shard get(String name);

    /** One shard: a whole installation of jobs. */
    interface Shard {

        String name();

        /** Where its Redis is, for people, such as {@code "localhost:6379, database 0"}; never with a password. */
        String address();

        /**
         * The node of a Redis Cluster that has it, such as {@code "10.0.0.7:6379"}, as of the last time a connection
         * was opened; null if it isn't on a cluster, or that isn't known.
         */
        default @Nullable String node() {
            return null;
        }

        JobsAdmin admin();

        /** A client that stores all jobs in this shard, whatever their queue. */
        JobClient client();

        Batches batches();

        RecurringJobs recurring();

        Limiters limiters();
    }
}
