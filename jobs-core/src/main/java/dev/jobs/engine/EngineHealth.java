package dev.jobs.engine;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How an engine is.
 *
 * @param state what it is doing
 * @param identity its name in the registry of processes, {@code host:pid:nonce}; another one after it lost its lease
 * @param alive whether it is registered and its last beat is fresh: only then does it start jobs
 * @param sinceBeat how long ago the last beat was answered, or null if none ever was
 * @param redisError what Redis said last, if it can't be used now
 * @param evictionPolicy the server's {@code maxmemory-policy}, or null if unknown; anything but {@code noeviction} may lose jobs
 * @param leader whether it times due jobs for all processes
 * @param processes live processes on this Redis, itself included
 * @param busy jobs that run now
 * @param concurrency jobs that may run at once
 * @param doorbell whether key changes are heard, so that an idle worker starts a job at once
 * @param brokenKeys keys of queues and sets that hold another type than they should, so that their jobs can't move: a sentence for each
 * @param lame why the process gives no more signs of life, or null; only a restart helps
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
        boolean doorbell,
        List<String> brokenKeys,
        @Nullable String lame) {

    public EngineHealth {
        brokenKeys = List.copyOf(brokenKeys);
    }

    /** What an engine is doing. */
    public enum State {
        /** Not started yet, or stopped; may be started (again). */
        STOPPED,
        RUNNING,
        /** Takes no more jobs; those that run go on. */
        QUIET,
        /** Waits for running jobs, then hands back what is left. */
        STOPPING
    }
}
