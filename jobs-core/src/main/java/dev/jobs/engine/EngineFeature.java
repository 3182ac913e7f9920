package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.JobRegistry;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.EffectSource;
import java.util.List;

/**
 * What a feature adds to the engines that have it in their configuration. It comes with the settings of its own, so
 * that nothing else knows them. Thread-safe; several engines may have the same one.
 */
@Internal
public interface EngineFeature {

    /**
     * What it adds to the run of jobs, inside of what every engine has.
     *
     * @param chores a connection for what the run of a job asks Redis
     */
    default List<JobPart> parts(RedisConnection chores, RedisKeys keys) {
        return List.of();
    }

    /** How it lets jobs wait although threads are free, besides what every engine does. */
    default List<JobGate> gates(JobRegistry jobs, RedisKeys keys) {
        return List.of();
    }

    /** What it changes in the step in which a job ends that was claimed here, after what every engine changes. */
    default List<JobEffects.Part> effects(RedisKeys keys) {
        return List.of();
    }

    /**
     * What it changes when a job moves that did not run here: it is recovered here, or cleared with its queue. None of
     * the features here does; tests do.
     */
    default EffectSource moved(RedisKeys keys) {
        return EffectSource.NONE;
    }
}
