package dev.jobs.spring.autoconfigure.installations;

import dev.jobs.Internal;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.JobEngine;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.ThreadPools;
import dev.jobs.limiters.CurrentDelivery;
import dev.jobs.redis.RedisConnections;

/**
 * What this worker's engine is made of, for the application's Redis.
 *
 * @param current what limiters know of the jobs that it runs
 */
@Internal
public record EngineParts(
        EngineConfig config,
        RedisConnections redis,
        JobRegistry registry,
        JobHooks hooks,
        EngineEnvironment environment,
        CurrentDelivery current) {

    /** Of the application's Redis alone. */
    public JobEngine engine() {
        return new JobEngine(config, redis, registry, hooks, environment, current, new ThreadPools());
    }
}
