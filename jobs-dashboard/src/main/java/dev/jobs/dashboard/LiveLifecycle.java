package dev.jobs.dashboard;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Runs the live numbers from the start of the application to its stop. It stops before everything else, because a
 * graceful shutdown of the web server waits for open streams like for any other request.
 */
final class LiveLifecycle implements SmartLifecycle {

    private final LiveStream stream;
    private final Sampler sampler;
    private final ThreadFactory threads;
    private @Nullable ScheduledExecutorService ticking;

    LiveLifecycle(LiveStream stream, Sampler sampler, ThreadFactory threads) {
        this.stream = stream;
        this.sampler = sampler;
        this.threads = threads;
    }

    @Override
    public synchronized void start() {
        if (ticking == null) {
            ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(threads);
            long millis = Sampler.INTERVAL.toMillis();
            started.scheduleWithFixedDelay(sampler::tick, millis, millis, TimeUnit.MILLISECONDS);
            ticking = started;
            stream.start();
        }
    }

    @Override
    public synchronized void stop() {
        stream.stop();
        if (ticking != null) {
            ticking.shutdownNow();
            ticking = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return ticking != null;
    }

    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }
}
