package dev.jobs.engine;

import dev.jobs.JobHooks;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What the parts of one running engine have in common. All of it is thread-safe.
 *
 * @param quiet set once the engine takes no more jobs
 * @param stopping set once the engine stops: long jobs should end
 * @param hearsRings whether the doorbell works
 */
record Shared(
        EngineEnvironment environment,
        JobHooks hooks,
        Lease lease,
        Outage outage,
        Suspects suspects,
        AtomicBoolean quiet,
        AtomicBoolean stopping,
        AtomicBoolean hearsRings) {

    /** The engine's own clock, which only goes forward. */
    long nanos() {
        return environment.nanoTime().getAsLong();
    }
}
