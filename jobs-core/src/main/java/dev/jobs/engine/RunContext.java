package dev.jobs.engine;

import dev.jobs.JobHooks;
import dev.jobs.PayloadTimes;
import dev.jobs.redis.BatchEffects;
import dev.jobs.redis.Effect;
import dev.jobs.redis.EffectSource;
import dev.jobs.redis.LockEffects;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Settlement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the parts of one running engine have in common. All components are thread-safe.
 *
 * @param times how times are written into payloads
 * @param batchEffects makes the effects of jobs in batches
 * @param lockEffects makes the effects of unique jobs
 * @param cancelled what this process knows of cancelled batches and jobs
 * @param limited knows which jobs have limits
 * @param effects supplies further effects of jobs that ran, are recovered or are cleared here
 * @param abandoned how many threads run jobs that were given up after their timeout
 * @param quiet set once the engine claims no more jobs
 * @param stopping set once the engine stops: long jobs should end
 * @param hearsRings whether the doorbell works
 * @param yielding whether others are to take jobs first
 */
record RunContext(
        EngineEnvironment environment,
        PayloadTimes times,
        JobHooks hooks,
        BatchEffects batchEffects,
        LockEffects lockEffects,
        LimitedJobs limited,
        EffectSource effects,
        Cancelled cancelled,
        Lease lease,
        Outage outage,
        SuspectPermit suspectPermit,
        ThreadGuard guard,
        BrokenKeys brokenKeys,
        AtomicInteger abandoned,
        AtomicBoolean quiet,
        AtomicBoolean stopping,
        AtomicBoolean hearsRings,
        Yielding yielding) {

    /**
     * The context of a new run.
     *
     * @param maxRecoveries how often a job may outlive its worker before it is buried
     */
    static RunContext of(
            EngineEnvironment environment,
            PayloadTimes times,
            JobHooks hooks,
            RedisKeys keys,
            LimitedJobs limited,
            EffectSource effects,
            Lease lease,
            int maxRecoveries) {
        return new RunContext(
                environment,
                times,
                hooks,
                new BatchEffects(keys),
                new LockEffects(keys),
                limited,
                effects,
                new Cancelled(),
                lease,
                new Outage(environment.nanoTime()),
                new SuspectPermit(maxRecoveries, lease.timing().lease(), environment.nanoTime()),
                new ThreadGuard(environment.outOfMemory()),
                new BrokenKeys(),
                new AtomicInteger(),
                new AtomicBoolean(),
                new AtomicBoolean(),
                new AtomicBoolean(),
                new Yielding(environment.nanoTime()));
    }

    /** A settlement of a job that ran here, with the effects of its batch, its lock and the source. */
    Settlement withEffects(Settlement settlement, ClaimedJob job) {
        BatchRun run = job.batchRun();
        List<Effect> lock = job.isParsed() ? lockEffects.of(job.payload()) : List.of();
        List<Effect> more = effects.of(job.stored());
        List<Effect> permits = limited.release(job);
        if (run == null && lock.isEmpty() && more.isEmpty() && permits.isEmpty()) {
            return settlement;
        }
        List<Effect> all = new ArrayList<>(settlement.effects());
        all.addAll(lock);
        all.addAll(more);
        all.addAll(permits);
        if (run != null) {
            all.add(batchEffects.of(run.place(), run.report()));
        }
        return settlement.with(all);
    }

    /**
     * The settlement of a job that goes back. Its batch is told even if the job has not run: an audit may have looked
     * for it in the queue while it was here, and here after it had gone back.
     */
    Settlement handedBack(Settlement settlement, ClaimedJob job) {
        if (job.batchRun() != null) {
            return withEffects(settlement, job);
        }
        List<Effect> own = new ArrayList<>(whenParked(job));
        own.addAll(limited.release(job));
        return own.isEmpty() ? settlement : settlement.with(own);
    }

    /** The effects of a job that goes back without having run, to wait at a limit. */
    List<Effect> whenParked(ClaimedJob job) {
        return batchEffects.and(lockEffects).of(job.stored());
    }

    /** Supplies all effects of jobs that move without having run here. */
    EffectSource allEffects() {
        return batchEffects.and(lockEffects).and(effects);
    }

    /** The current time in the form that payloads have. */
    Number now() {
        return times.of(environment.clock().instant());
    }

    /** The engine's own, monotonic clock. */
    long nanos() {
        return environment.nanoTime().getAsLong();
    }
}
