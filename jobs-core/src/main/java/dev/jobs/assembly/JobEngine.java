package dev.jobs.assembly;

import dev.jobs.Internal;
import dev.jobs.JobHooks;
import dev.jobs.JobListener.EngineState;
import dev.jobs.JobRegistry;
import dev.jobs.assembly.EngineHealth.State;
import dev.jobs.engine.CapsuleWork;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.engine.ThreadPools;
import dev.jobs.limiters.CurrentDelivery;
import dev.jobs.redis.RedisConnections;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the jobs of its queues. May be started, stopped and started again; several engines in one JVM are independent,
 * but for the threads that they may share. Thread-safe.
 */
public final class JobEngine {

    private static final Logger log = LoggerFactory.getLogger(JobEngine.class);

    private final EngineConfig config;
    private final RedisConnections redis;
    private final JobRegistry registry;
    private final JobHooks hooks;
    private final EngineEnvironment environment;
    private final CurrentDelivery current;
    private final ThreadPools pools;

    /** Held during a stop, so that concurrent calls wait for its end. */
    private final Object stopLock = new Object();

    // Guarded by this.
    private State state = State.STOPPED;
    private @Nullable EngineRun run;

    @Internal
    public JobEngine(
            EngineConfig config,
            RedisConnections redis,
            JobRegistry registry,
            JobHooks hooks,
            EngineEnvironment environment) {
        this(config, redis, registry, hooks, environment, new CurrentDelivery(), new ThreadPools());
    }

    /**
     * @param current tells limiters which job a thread runs
     * @param pools shared with the engines of other shards in this process
     */
    @Internal
    public JobEngine(
            EngineConfig config,
            RedisConnections redis,
            JobRegistry registry,
            JobHooks hooks,
            EngineEnvironment environment,
            CurrentDelivery current,
            ThreadPools pools) {
        this.config = config;
        this.redis = redis;
        this.registry = registry;
        this.hooks = hooks;
        this.environment = environment;
        this.current = current;
        this.pools = pools;
    }

    /**
     * Starts the engine. Returns at once, even while Redis can't be reached: the engine keeps trying. Does nothing if
     * it runs already.
     */
    public void start() {
        synchronized (this) {
            if (state != State.STOPPED) {
                return;
            }
            EngineRun started =
                    new EngineRun(config, redis, registry, hooks, environment, current, pools, this::signalled);
            try {
                started.start();
            } catch (Throwable e) {
                endStarted(started, e);
                throw e;
            }
            run = started;
            state = State.RUNNING;
        }
        log.info(
                "Started (jobs known: {}): {}",
                registry.definitions().size(),
                config.capsules().stream()
                        .map(each -> each.name() + " runs jobs of " + each.queues() + " in "
                                + each.mode().name().toLowerCase(java.util.Locale.ROOT) + " order, "
                                + each.concurrency() + " at once")
                        .toList());
        hooks.tell(listener -> listener.engineChanged(EngineState.STARTED));
    }

    /** What has started would claim jobs, and keep the lease with which it holds them. */
    private static void endStarted(EngineRun started, Throwable failure) {
        try {
            started.stop(Duration.ZERO);
        } catch (Throwable e) {
            failure.addSuppressed(e);
        }
    }

    /**
     * Ends claiming; running jobs continue. Returns at once. To claim again, {@link #stop()} and {@link #start()} the
     * engine.
     */
    public void quiet() {
        synchronized (this) {
            if (state != State.RUNNING || run == null) {
                return;
            }
            state = State.QUIET;
            run.quiet();
        }
        log.info("Quiet: claims no more jobs");
        hooks.tell(listener -> listener.engineChanged(EngineState.QUIET));
    }

    /** Shows the process, and hears of signals and cancellations, at once. Does nothing unless the engine runs. */
    @Internal
    public synchronized void showNow() {
        if (run != null) {
            run.showNow();
        }
    }

    /**
     * Stops: waits for running jobs until the shutdown timeout is over, hands back what still runs, interrupts it and
     * gives it a few seconds to end. Returns when the engine has ended, or at once if it doesn't run. Never throws
     * because Redis is away: other processes recover the jobs that could not be handed back.
     */
    public void stop() {
        synchronized (stopLock) {
            quiet();
            EngineRun stopping;
            synchronized (this) {
                if (run == null) {
                    return;
                }
                stopping = run;
                state = State.STOPPING;
            }
            stopping.stop(config.shutdownTimeout());
            synchronized (this) {
                run = null;
                state = State.STOPPED;
            }
        }
        log.info("Stopped");
        hooks.tell(listener -> listener.engineChanged(EngineState.STOPPED));
    }

    private void signalled(String signal) {
        switch (signal) {
            case "TSTP" -> quiet();
            // Not on the thread that received the signal, because the stop waits for that thread.
            case "TERM" -> new Thread(this::stop, "jobs-stop").start();
            case "TTIN" -> dumpStacks();
            default -> log.warn("The signal '{}' is unknown and ignored", signal);
        }
    }

    private void dumpStacks() {
        EngineRun running;
        synchronized (this) {
            running = run;
        }
        if (running != null) {
            running.dumpStacks();
        }
    }

    /** For how many jobs that died here the death handlers are still to be called, or are called. */
    @Internal
    public synchronized int untoldDeaths() {
        return run == null ? 0 : run.untoldDeaths();
    }

    /** What each capsule has done since the start; nothing unless the engine runs. Never asks Redis. */
    @Internal
    public synchronized List<CapsuleWork> work() {
        return run == null ? List.of() : run.work();
    }

    /**
     * Whether no job of a queue may start just now although threads are free: by the last answer of Redis, as long as
     * the engine is {@linkplain EngineHealth#alive() alive}.
     */
    @Internal
    public synchronized boolean isShut(String queue) {
        return run != null && run.isShut(queue);
    }

    /** The state of the engine; never asks Redis. */
    public EngineHealth health() {
        synchronized (this) {
            if (run != null) {
                return run.health(state, config);
            }
        }
        return new EngineHealth(
                State.STOPPED,
                "",
                false,
                null,
                null,
                null,
                false,
                0,
                0,
                config.concurrency(),
                0,
                false,
                List.of(),
                null);
    }
}
