package dev.jobs.redis;

import java.util.List;

/**
 * Supplies the effects for jobs that move without a processor: deleted, also with their whole queue, restored, or left
 * behind by a process that died. An engine also asks its source for each job that ran there. Called for each such job,
 * on any thread; must not throw.
 */
@FunctionalInterface
public interface EffectSource {

    /** No effects, for any job: a queue is then cleared without reading it. */
    EffectSource NONE = stored -> List.of();

    /**
     * The effects for one job. Each names the outcome that it is for, since only Redis decides on the outcome.
     *
     * @param stored the bytes of the job, which may be no JSON at all
     */
    List<Effect> of(byte[] stored);
}
