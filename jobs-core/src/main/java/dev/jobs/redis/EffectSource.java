package dev.jobs.redis;

import java.util.List;

/**
 * Says what else is to happen when a job moves that no processor has in hand, since it was deleted, restored, or left behind by a process that
 * died. Called for each such job, on any thread; it must not throw.
 */
@FunctionalInterface
public interface EffectSource {

    /** Nothing else happens. */
    EffectSource NONE = stored -> List.of();

    /**
     * The effects for one job, each for the outcome that it names, since only Redis decides what becomes of the job.
     *
     * @param stored the bytes of the job, which may be no JSON at all
     */
    List<Effect> of(byte[] stored);
}
