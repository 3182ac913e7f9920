package dev.jobs.assembly;

import dev.jobs.ArgumentMask;
import dev.jobs.ArgumentMasking;
import dev.jobs.Internal;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.batches.BatchAccess;
import dev.jobs.batches.BatchCancellations;
import dev.jobs.batches.BatchEffects;
import dev.jobs.batches.BatchPart;
import dev.jobs.batches.CancelledBatches;
import dev.jobs.encryption.EncryptionPart;
import dev.jobs.ends.CancelPart;
import dev.jobs.ends.Cancellations;
import dev.jobs.ends.CancelledJobs;
import dev.jobs.ends.ExpiringJobs;
import dev.jobs.ends.ExpiryPart;
import dev.jobs.ends.TimeWatch;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.EngineFeature;
import dev.jobs.engine.FailureHandling;
import dev.jobs.engine.FailureHandling.Note;
import dev.jobs.engine.JobEffects;
import dev.jobs.engine.JobPart;
import dev.jobs.engine.RunContext;
import dev.jobs.handover.Yielding;
import dev.jobs.iterations.IterationPart;
import dev.jobs.iterations.IterationStore;
import dev.jobs.limiters.CurrentDelivery;
import dev.jobs.limiters.LimiterConfig;
import dev.jobs.limiters.OverLimits;
import dev.jobs.limits.LimitedJobs;
import dev.jobs.metrics.ExecutionCounts;
import dev.jobs.processes.ProcessRegistry;
import dev.jobs.processes.SharedReading;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.results.JobReport;
import dev.jobs.results.ReportPart;
import dev.jobs.results.ResultEffects;
import dev.jobs.store.EffectSource;
import dev.jobs.unique.JobLocks;
import dev.jobs.unique.LockEffects;
import dev.jobs.unique.LockPart;
import dev.jobs.versions.ForeignJobs;
import dev.jobs.versions.OtherWorkers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** What each feature adds to the run of a job, and to its end, in order. */
@Internal
public final class RunParts {

    private RunParts() {}

    /** What features note in the payloads of jobs that wait. */
    public static List<Note> notes() {
        return List.of(ForeignJobs::withoutNote, OverLimits::withoutNote);
    }

    /**
     * What else changes in the step in which a job ends or moves.
     *
     * @param limited knows which jobs have limits
     * @param features change more, after that
     */
    public static JobEffects effects(RedisKeys keys, LimitedJobs limited, List<EngineFeature> features) {
        BatchEffects batches = new BatchEffects(keys);
        LockEffects locks = new LockEffects(keys);
        ResultEffects results = new ResultEffects(keys);
        EffectSource moved = batches.and(locks);
        List<JobEffects.Part> parts = new ArrayList<>(List.of(
                CancelPart.whenGivenUp(keys),
                LimitedJobs::unusedStarts,
                locks,
                CurrentDelivery::notGivenBack,
                limited,
                results,
                batches));
        EffectSource all = moved.and(results);
        for (EngineFeature each : features) {
            parts.addAll(each.effects(keys));
            all = all.and(each.moved(keys));
        }
        return new JobEffects(parts, moved, all);
    }

    /**
     * What happens around a job's code. The first ones surround the others: they are asked first whether the job
     * begins, and last what to make of what it threw.
     *
     * @param executions counts them
     * @param current tells limiters which job a thread runs
     * @param times ends jobs whose time is over
     * @param yielding lets others take jobs first
     */
    static List<JobPart> inRedis(
            RunBasis basis,
            FailureHandling failures,
            ExecutionCounts executions,
            CurrentDelivery current,
            TimeWatch times,
            Yielding yielding) {
        RedisConnection chores = basis.chores();
        RedisKeys keys = basis.keys();
        RunContext context = basis.context();
        EngineConfig config = basis.config();
        EngineEnvironment environment = context.environment();
        ArgumentMasking masking =
                new ArgumentMasking(basis.jobs(), context.hooks().all(ArgumentMask.class));
        CancelPart cancel = new CancelPart(basis.cancelledJobs(), new Cancellations(chores, keys), failures);
        BatchPart batches = new BatchPart(
                BatchAccess.of(context.hooks()),
                masking,
                failures,
                basis.cancelledBatches(),
                environment.nanoTime(),
                new BatchCancellations(chores, keys).amongHeld(basis.held()));
        List<JobPart> parts = new ArrayList<>(List.of(
                executions,
                batches,
                new ReportPart(new JobReport.Surroundings(masking, environment.clock())),
                new OverLimits(config.limiters(), current, failures, environment.random()),
                LockPart.inRedis(new JobLocks(chores, keys)),
                times,
                cancel,
                IterationPart.inRedis(
                        new IterationStore(chores, keys),
                        context,
                        config.shutdownTimeout(),
                        config.maxIterationRuntime(),
                        cancel::ask,
                        batches::isCancelled),
                new ExpiryPart(
                        environment.clock(), ExpiryPart.inRedis(new ExpiringJobs(chores, keys), context.lease())),
                new ForeignJobs(
                        new OtherWorkers(
                                new ProcessRegistry(chores, keys),
                                SharedReading.ofWorkers(chores, keys),
                                environment.nanoTime()),
                        failures,
                        config.unknownJobWait(),
                        yielding,
                        environment,
                        basis.jobs()),
                new EncryptionPart(failures)));
        config.features().forEach(each -> parts.addAll(each.parts(chores, keys)));
        return parts;
    }

    /**
     * The same without Redis: what this process knows counts, no job has a timeout or waits for another version, and
     * nothing is counted.
     *
     * @param beginning called with the payload of a unique job before its method; returns false if another one has
     *     replaced it
     */
    public static List<JobPart> inMemory(
            JobRegistry registry,
            JobHooks hooks,
            FailureHandling failures,
            EngineEnvironment environment,
            LimiterConfig limiters,
            CurrentDelivery current,
            CancelledJobs jobs,
            Predicate<? super Payload> beginning,
            IterationPart.Walk walk) {
        ArgumentMasking masking = new ArgumentMasking(registry, hooks.all(ArgumentMask.class));
        return List.of(
                new BatchPart(
                        BatchAccess.of(hooks), masking, failures, new CancelledBatches(), environment.nanoTime(), null),
                new ReportPart(new JobReport.Surroundings(masking, environment.clock())),
                new OverLimits(limiters, current, failures, environment.random()),
                new LockPart(job -> beginning.test(job.payload())),
                new CancelPart(jobs, null, failures),
                new IterationPart(walk),
                new ExpiryPart(environment.clock(), ExpiryPart.here()),
                new EncryptionPart(failures));
    }
}
