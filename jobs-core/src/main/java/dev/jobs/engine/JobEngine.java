package dev.jobs.engine;

import dev.jobs.JobHooks;
import dev.jobs.JobListener.EngineState;
import dev.jobs.JobRegistry;
import dev.jobs.engine.EngineHealth.State;
import dev.jobs.redis.RedisConnections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Works off the queues. May be started, stopped and started again; two engines in one JVM do not know of each other. Thread-safe.
 */
public final class JobEngine {

    private static final Logger log = LoggerFactory.getLogger(JobEngine.class);

    private final EngineConfig config;
    private final RedisConnections redis;
    private final JobRegistry registry;
    private final JobHooks hooks;
    private final EngineEnvironment environment;

    /** Held through a whole stop, so that whoever calls it meanwhile waits for its end. */
    private final Object stopLock = new Object();

    // Guarded by this.
    private State state = State.STOPPED;
    private @Nullable EngineRun run;

    public JobEngine(
            EngineConfig config,
            RedisConnections redis,
            JobRegistry registry,
            JobHooks hooks,
            EngineEnvironment environment) {
        this.config = config;
        this.redis = redis;
        this.registry = registry;
        this.hooks = hooks;
        this.environment = environment;
    }

    /** Starts to work. Returns at once, also while Redis can't be reached: then it goes on trying. Does nothing if it runs already. */
    public void start() {
        synchronized (this) {
            if (state != State.STOPPED) {
                return;
            }
            EngineRun started = new EngineRun(config, redis, registry, hooks, environment, this::signalled);
            started.start();
            run = started;
            state = State.RUNNING;
        }
        log.info(
                "Started with {} jobs known: {}",
                registry.definitions().size(),
                config.capsules().stream()
                        .map(each -> each.name() + " works off " + each.queues() + " in "
                                + each.mode().name().toLowerCase(java.util.Locale.ROOT) + " order, "
                                + each.concurrency() + " at once")
                        .toList());
        hooks.tell(listener -> listener.engineChanged(EngineState.STARTED));
    }

    /** Takes no more jobs; those that run go on. Returns at once. Only {@link #stop()} and {@link #start()} lead out of it. */
    public void quiet() {
        synchronized (this) {
            if (state != State.RUNNING || run == null) {
                return;
            }
            state = State.QUIET;
            run.quiet();
        }
        log.info("Quiet: takes no more jobs");
        hooks.tell(listener -> listener.engineChanged(EngineState.QUIET));
    }

    /**
     * Stops: waits for running jobs until the shutdown timeout is over, hands back what still runs, interrupts it and gives it a few seconds
     * to end. Returns when nothing of the engine is left, or immediately if it doesn't run. Never throws because Redis is away: what could
     * not be handed back is recovered by other processes.
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
            // Not on the thread that got the signal, for which the stop waits.
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

    /** How the engine is; never asks Redis. */
    public EngineHealth health() {
        synchronized (this) {
            if (run != null) {
                return run.health(state, config);
            }
        }
        return new EngineHealth(
                State.STOPPED, "", false, null, null, null, false, 0, 0, config.concurrency(), false, List.of(), null);
    }
}
