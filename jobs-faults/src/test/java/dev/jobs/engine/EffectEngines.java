package dev.jobs.engine;

import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.JobEngine;
import dev.jobs.limiters.CurrentDelivery;
import dev.jobs.redis.RedisConnections;
import dev.jobs.store.EffectSource;

/** Makes engines whose jobs have effects, which applications can't give them. */
public final class EffectEngines {

    private EffectEngines() {}

    /**
     * An engine that applies these effects to jobs that ran, are recovered or are cleared there.
     *
     * @param pools shared with the engines of other shards
     */
    public static JobEngine create(
            EngineConfig config,
            RedisConnections redis,
            JobRegistry registry,
            JobHooks hooks,
            EffectSource effects,
            EngineEnvironment environment,
            ThreadPools pools) {
        return new JobEngine(config, redis, registry, hooks, effects, environment, new CurrentDelivery(), pools);
    }
}
