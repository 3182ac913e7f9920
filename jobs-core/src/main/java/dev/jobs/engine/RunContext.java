package dev.jobs.engine;

import dev.jobs.JobHooks;
import dev.jobs.PayloadTimes;
import dev.jobs.redis.BatchEffects;
import dev.jobs.redis.Effect;
import dev.jobs.redis.EffectSource;
import dev.jobs.redis.JobReports;
import dev.jobs.redis.JobReports.Report;
import dev.jobs.redis.LockEffects;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.ResultEffects;
import dev.jobs.redis.Settlement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of one running engine have in common. All components are thread-safe.
 *
 * @param times how times are written into payloads
 * @param keys the names of all keys
 * @param batchEffects makes the effects of jobs in batches
 * @param lockEffects makes the effects of unique jobs
 * @param resultEffects makes the effects of jobs whose result is kept
 * @param cancelled what this process knows of cancelled batches and jobs
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
        RedisKeys keys,
        BatchEffects batchEffects,
        LockEffects lockEffects,
        ResultEffects resultEffects,
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
            EffectSource effects,
            Lease lease,
            int maxRecoveries) {
        return new RunContext(
                environment,
                times,
                hooks,
                keys,
                new BatchEffects(keys),
                new LockEffects(keys),
                new ResultEffects(keys),
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

    /**
     * A settlement of a job that ran here, with the effects of its batch, its lock, its report and the source.
     *
     * @param result what is kept of its end; null for nothing
     */
    Settlement withEffects(Settlement settlement, ClaimedJob job, byte @Nullable [] result) {
        BatchRun run = job.batchRun();
        List<Effect> lock = job.isParsed() ? lockEffects.of(job.payload()) : List.of();
        List<Effect> more = effects.of(job.stored());
        List<Effect> reported = reported(job);
        if (run == null && lock.isEmpty() && more.isEmpty() && reported.isEmpty() && result == null) {
            return settlement;
        }
        List<Effect> all = new ArrayList<>(settlement.effects());
        all.addAll(lock);
        all.addAll(more);
        all.addAll(reported);
        if (result != null) {
            all.addAll(resultEffects.of(job.payload(), result));
        }
        if (run != null) {
            all.add(batchEffects.of(run.place(), run.report()));
        }
        return settlement.with(all);
    }

    private List<Effect> reported(ClaimedJob job) {
        JobReport report = job.report();
        Report last = report == null || job.jid().isEmpty() ? null : report.last();
        return last == null ? List.of() : List.of(JobReports.effect(keys, job.jid(), last));
    }

    /**
     * The settlement of a job that goes back. Its batch is told even if the job has not run: an audit may have looked
     * for it in the queue while it was here, and here after it had gone back.
     */
    Settlement handedBack(Settlement settlement, ClaimedJob job) {
        if (job.batchRun() != null) {
            return withEffects(settlement, job, null);
        }
        List<Effect> own = new ArrayList<>(batchEffects.and(lockEffects).of(job.stored()));
        own.addAll(reported(job));
        return own.isEmpty() ? settlement : settlement.with(own);
    }

    /** Supplies all effects of jobs that move without having run here. */
    EffectSource allEffects() {
        return batchEffects.and(lockEffects).and(resultEffects).and(effects);
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
