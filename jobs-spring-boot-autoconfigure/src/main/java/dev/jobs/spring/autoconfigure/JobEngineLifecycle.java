package dev.jobs.spring.autoconfigure;

import dev.jobs.engine.JobEngine;
import java.util.concurrent.CountDownLatch;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Starts the engine when everything else is there, and stops it while everything else still is.
 *
 * <p>A closing context makes the engine quiet at once. The wait for running jobs comes in the phase in which a web server waits for running
 * requests, side by side with it, and before executors and Redis connections go.
 */
final class JobEngineLifecycle implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

    /** That of the web server's graceful shutdown. */
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

    /** Takes no more jobs when this context closes; the end of a child context is none of our business. */
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

    /** True until the engine has really stopped. */
    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
