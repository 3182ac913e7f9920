package dev.jobs.shards.spring;

import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.assembly.RedisJobStore;
import dev.jobs.batches.RedisBatches;
import dev.jobs.client.ClientConfig;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.limiters.CurrentDelivery;
import dev.jobs.limiters.JobLimiters;
import dev.jobs.limiters.StoredLimiters;
import dev.jobs.recurring.RedisRecurringJobs;
import dev.jobs.redis.RedisConnections;
import dev.jobs.shards.OneShard;
import dev.jobs.shards.OpenTransfers;
import dev.jobs.store.DeadSetBounds;
import dev.jobs.transactions.Transactions;
import java.util.List;

/**
 * What an application works with in one shard, made as its own beans are. Each part opens its connection at its first
 * use. Thread-safe.
 */
final class ShardTools implements AutoCloseable {

    private final RedisConnections connections;
    private final CurrentDelivery current;
    private final JobsAdmin admin;
    private final RedisJobClient client;
    private final RedisBatches batches;
    private final RedisRecurringJobs recurring;
    private final StoredLimiters limiters;

    /**
     * What is the same in all shards.
     *
     * @param hooks of the application, looked up when first used
     * @param namespace of recurring jobs
     */
    record Shared(
            JobRegistry registry,
            JobHooks hooks,
            ClientConfig config,
            EngineEnvironment environment,
            Transactions transactions,
            DeadSetBounds dead,
            String namespace) {}

    /**
     * @param current what the limiters know of the jobs that the shard's engine runs
     * @param shard with the queues that leave it, for whose jobs batches go on; recurring jobs are saved elsewhere
     */
    ShardTools(RedisConnections connections, CurrentDelivery current, OneShard shard, Shared shared) {
        this.connections = connections;
        this.current = current;
        EngineEnvironment environment = shared.environment();
        this.admin = new JobsAdmin(
                connections,
                shared.dead(),
                shared.hooks(),
                environment.clock(),
                shared.config().times(),
                List.of(OpenTransfers::new),
                List.of());
        this.client = new RedisJobClient(
                new RedisJobStore(connections, shared.dead()),
                shared.registry(),
                shared.hooks(),
                shared.config(),
                environment.clock(),
                environment.random(),
                shared.transactions(),
                null);
        this.batches = new RedisBatches(connections, client, environment.random(), null, shard);
        this.recurring = new RedisRecurringJobs(
                connections,
                shared.registry(),
                shared.hooks(),
                shared.config(),
                environment.random(),
                shared.namespace(),
                new OneShard(shard.map(), shard.name()));
        this.limiters = new StoredLimiters(
                new JobLimiters(connections), current, shared.hooks(), environment.nanoTime(), environment.random());
    }

    RedisConnections connections() {
        return connections;
    }

    /** A delivery of another shard holds nothing here. */
    CurrentDelivery current() {
        return current;
    }

    JobsAdmin admin() {
        return admin;
    }

    RedisJobClient client() {
        return client;
    }

    RedisBatches batches() {
        return batches;
    }

    RedisRecurringJobs recurring() {
        return recurring;
    }

    StoredLimiters limiters() {
        return limiters;
    }

    @Override
    public void close() {
        limiters.close();
        recurring.close();
        batches.close();
        client.close();
        admin.close();
    }
}
