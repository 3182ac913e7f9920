package dev.jobs.faults;

import dev.jobs.engine.EngineFeature;
import dev.jobs.engine.JobEffects;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.EffectSource;
import java.util.List;

/** Gives effects to all jobs that ran, are recovered or are cleared in an engine, as applications can't. */
record EffectsOf(EffectSource source) implements EngineFeature {

    @Override
    public List<JobEffects.Part> effects(RedisKeys keys) {
        return List.of((all, job, outcome) -> all.addAll(source.of(job.stored())));
    }

    @Override
    public EffectSource moved(RedisKeys keys) {
        return source;
    }
}
