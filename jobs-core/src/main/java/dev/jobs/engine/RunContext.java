package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.JobHooks;
import dev.jobs.PayloadTimes;
import dev.jobs.leases.Lease;
import dev.jobs.lists.BrokenKeys;
import dev.jobs.threads.Outage;
import dev.jobs.threads.ThreadGuard;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the parts of one running engine have in common. All components are thread-safe.
 *
 * @param times how times are written into payloads
 * @param gate lets jobs wait that may not run yet
 * @param effects what else changes in the step in which a job ends or moves
 * @param abandoned how many threads run jobs that were given up after their timeout
 * @param quiet set once the engine claims no more jobs
 * @param stopping set once the engine stops: long jobs should end
 * @param hearsRings whether the doorbell works
 */
@Internal
public record RunContext(
        EngineEnvironment environment,
        PayloadTimes times,
        JobHooks hooks,
        JobGate gate,
        JobEffects effects,
        Lease lease,
        Outage outage,
        SuspectPermit suspectPermit,
        ThreadGuard guard,
        BrokenKeys brokenKeys,
        AtomicInteger abandoned,
        AtomicBoolean quiet,
        AtomicBoolean stopping,
        AtomicBoolean hearsRings) {

    /**
     * The context of a new run.
     *
     * @param maxRecoveries how often a job may outlive its worker before it is buried
     * @param suspects how many suspects all engines of the process hold
     */
    public static RunContext of(
            EngineEnvironment environment,
            PayloadTimes times,
            JobHooks hooks,
            JobGate gate,
            JobEffects effects,
            Lease lease,
            int maxRecoveries,
            AtomicInteger suspects) {
        return new RunContext(
                environment,
                times,
                hooks,
                gate,
                effects,
                lease,
                new Outage(environment.nanoTime()),
                new SuspectPermit(maxRecoveries, lease.timing().lease(), environment.nanoTime(), suspects),
                new ThreadGuard(environment.outOfMemory(), environment.threadStates()),
                new BrokenKeys(),
                new AtomicInteger(),
                new AtomicBoolean(),
                new AtomicBoolean(),
                new AtomicBoolean());
    }

    /** The current time in the form that payloads have. */
    public Number now() {
        return times.of(environment.clock().instant());
    }

    /** The engine's own, monotonic clock. */
    public long nanos() {
        return environment.nanoTime().getAsLong();
    }
}
