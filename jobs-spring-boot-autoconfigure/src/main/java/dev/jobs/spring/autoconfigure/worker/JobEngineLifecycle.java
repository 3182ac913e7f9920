package dev.jobs.spring.autoconfigure.worker;

import dev.jobs.Internal;
import dev.jobs.assembly.JobEngine;
import dev.jobs.spring.autoconfigure.beans.BackgroundLifecycle;
import dev.jobs.spring.autoconfigure.installations.OwnEngines;
import java.util.Collection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Starts the engines, usually one, once everything else is available, and stops them while everything else still is.
 *
 * <p>A closing context makes them quiet at once. They stop side by side, within one shutdown timeout. An engine waits
 * for running jobs in the phase in which a web server waits for running requests, in parallel with it, and before
 * executors and Redis connections close.
 */
@Internal
public final class JobEngineLifecycle implements BackgroundLifecycle, ApplicationListener<ContextClosedEvent> {

    /** The phase of the web server's graceful shutdown. */
    static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 1024;

    private final Collection<JobEngine> engines;
    private final ApplicationContext context;

    private volatile boolean running;

    JobEngineLifecycle(OwnEngines engines, ApplicationContext context) {
        this.engines = engines.byInstallation().values();
        this.context = context;
    }

    @Override
    public void start() {
        try {
            engines.forEach(JobEngine::start);
        } catch (Throwable e) {
            engines.forEach(JobEngine::stop); // Spring stops only what has started
            throw e;
        }
        running = true;
    }

    /** Quiets the engines when this context closes, but not when a child context does. */
    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext() == context) {
            engines.forEach(JobEngine::quiet);
        }
    }

    @Override
    public void stop(Runnable callback) {
        AtomicInteger left = new AtomicInteger(engines.size());
        engines.forEach(engine -> {
            Runnable stop = () -> {
                try {
                    engine.stop();
                } finally {
                    if (left.decrementAndGet() == 0) {
                        running = false;
                        callback.run();
                    }
                }
            };
            new Thread(stop, "jobs-shutdown").start();
        });
    }

    @Override
    public void stop() {
        CountDownLatch stopped = new CountDownLatch(1);
        stop(stopped::countDown);
        boolean interrupted = false;
        while (true) {
            try {
                stopped.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** True until all engines have stopped completely. */
    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
