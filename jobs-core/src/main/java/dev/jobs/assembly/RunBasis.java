package dev.jobs.assembly;

import dev.jobs.JobRegistry;
import dev.jobs.batches.CancelledBatches;
import dev.jobs.ends.CancelledJobs;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.RunContext;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What the features of one running engine are built from.
 *
 * @param chores a connection for what the run of a job asks Redis, and for what happens now and then
 * @param cancelledJobs what this process knows of cancelled jobs
 * @param cancelledBatches what it knows of cancelled batches
 * @param held the jobs that it holds
 */
record RunBasis(
        RedisConnection chores,
        RedisKeys keys,
        EngineConfig config,
        JobRegistry jobs,
        RunContext context,
        CancelledJobs cancelledJobs,
        CancelledBatches cancelledBatches,
        Supplier<Stream<ClaimedJob>> held) {}
