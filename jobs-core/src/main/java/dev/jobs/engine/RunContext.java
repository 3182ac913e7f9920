package dev.jobs.engine;

import dev.jobs.JobHooks;
import dev.jobs.PayloadTimes;
import dev.jobs.redis.EffectSource;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What the parts of one running engine have in common. All components are thread-safe.
 *
 * @param times how times are written into payloads
 * @param effects supplies the effects of jobs that ran, are recovered or are cleared here
 * @param quiet set once the engine claims no more jobs
 * @param stopping set once the engine stops: long jobs should end
 * @param hearsRings whether the doorbell works
 */
record RunContext(
        EngineEnvironment environment,
        PayloadTimes times,
        JobHooks hooks,
        EffectSource effects,
        Lease lease,
        Outage outage,
        SuspectPermit suspectPermit,
        ThreadGuard guard,
        BrokenKeys brokenKeys,
        AtomicBoolean quiet,
        AtomicBoolean stopping,
        AtomicBoolean hearsRings) {

    /**
     * The context of a new run.
     *
     * @param maxRecoveries how often a job may outlive its worker before it is buried
     */
    static RunContext of(
            EngineEnvironment environment,
            PayloadTimes times,
            JobHooks hooks,
            EffectSource effects,
            Lease lease,
            int maxRecoveries) {
        return new RunContext(
                environment,
                times,
                hooks,
                effects,
                lease,
                new Outage(environment.nanoTime()),
                new SuspectPermit(maxRecoveries, lease.timing().lease(), environment.nanoTime()),
                new ThreadGuard(environment.outOfMemory()),
                new BrokenKeys(),
                new AtomicBoolean(),
                new AtomicBoolean(),
                new AtomicBoolean());
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
