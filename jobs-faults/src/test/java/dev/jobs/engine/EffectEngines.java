package dev.jobs.engine;

import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.redis.CurrentDelivery;
import dev.jobs.redis.EffectSource;
import dev.jobs.redis.RedisConnections;

/** Makes engines whose jobs have effects, which applications can't give them. */
public final class EffectEngines {

    private EffectEngines() {}

    /**
     * An engine that applies these effects to jobs that ran, are recovered or are cleared there.
     *
     * @param places shared with the engines of other shards
     */
    public static JobEngine create(
            EngineConfig config,
            RedisConnections redis,
            JobRegistry registry,
            JobHooks hooks,
            EffectSource effects,
            EngineEnvironment environment,
            PlacePool places) {
        return new JobEngine(config, redis, registry, hooks, effects, environment, new CurrentDelivery(), places);
    }
}
