package dev.jobs.spring.autoconfigure;

import dev.jobs.engine.JobEngine;
import java.util.concurrent.CountDownLatch;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Starts the engine once everything else is available, and stops it while everything else still is.
 *
 * <p>A closing context makes the engine quiet at once. The engine waits for running jobs in the phase in which a web
 * server waits for running requests, in parallel with it, and before executors and Redis connections close.
 */
final class JobEngineLifecycle implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

    /** The phase of the web server's graceful shutdown. */
    static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 1024;

    private final JobEngine engine;
    private final ApplicationContext context;

    private volatile boolean running;

    JobEngineLifecycle(JobEngine engine, ApplicationContext context) {
        this.engine = engine;
        this.context = context;
    }

    @Override
    public void start() {
        engine.start();
        running = true;
    }

    /** Quiets the engine when this context closes, but not when a child context does. */
    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext() == context) {
            engine.quiet();
        }
    }

    @Override
    public void stop(Runnable callback) {
        Runnable stop = () -> {
            try {
                engine.stop();
            } finally {
                running = false;
                callback.run();
            }
        };
        new Thread(stop, "jobs-shutdown").start();
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

    /** True until the engine has stopped completely. */
    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
