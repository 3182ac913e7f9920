package dev.jobs.assembly;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of an engine.
 *
 * @param state what it is doing
 * @param identity its name in the registry of processes, {@code host:pid:nonce}; changes after it lost its lease
 * @param alive whether it is registered and its last beat is fresh: only then does it start jobs
 * @param sinceBeat how long ago the last beat was answered, or null if none was yet
 * @param redisError the last error of Redis, or null if Redis works
 * @param evictionPolicy the server's {@code maxmemory-policy}, or null if unknown; anything but {@code noeviction} may
 *     lose jobs
 * @param leader whether it times due jobs for all processes
 * @param processes live processes on this Redis, itself included
 * @param busy jobs that run now
 * @param concurrency jobs that may run at once
 * @param abandoned threads that still run a job that was given up after its timeout
 * @param doorbell whether notifications of key changes arrive, so that an idle worker starts a job at once
 * @param brokenKeys a sentence about each key of a queue or set that holds a wrong type, so that its jobs can't move
 * @param lame why the process has stopped beating, or null; only a restart helps
 */
public record EngineHealth(
        State state,
        String identity,
        boolean alive,
        @Nullable Duration sinceBeat,
        @Nullable String redisError,
        @Nullable String evictionPolicy,
        boolean leader,
        int processes,
        int busy,
        int concurrency,
        int abandoned,
        boolean doorbell,
        List<String> brokenKeys,
        @Nullable String lame) {

    public EngineHealth {
        brokenKeys = List.copyOf(brokenKeys);
    }

    /** What an engine is doing. */
    public enum State {
        /** Not started yet, or stopped; may be started again. */
        STOPPED,
        RUNNING,
        /** Claims no more jobs; running jobs continue. */
        QUIET,
        /** Waits for running jobs, then hands back the rest. */
        STOPPING
    }
}
