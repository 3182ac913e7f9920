package dev.jobs.dashboard.server;

import dev.jobs.Internal;
import dev.jobs.dashboard.live.Pulse;
import dev.jobs.spring.autoconfigure.beans.BackgroundLifecycle;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs the live numbers from the start of the application to its stop. It stops before everything else, because a
 * graceful shutdown of the web server waits for open streams like for any other request.
 */
@Internal
public final class LiveLifecycle implements BackgroundLifecycle {

    private final List<Installation> installations;
    private final ThreadFactory threads;
    private @Nullable ScheduledExecutorService ticking;

    public LiveLifecycle(Installations installations, ThreadFactory threads) {
        this.installations = installations.all().toList();
        this.threads = threads;
    }

    @Override
    public synchronized void start() {
        if (ticking == null) {
            // one for each: a Redis that doesn't answer must not hold up the numbers of another
            ScheduledExecutorService started = Executors.newScheduledThreadPool(installations.size(), threads);
            long millis = Pulse.INTERVAL.toMillis();
            ticking = started;
            installations.forEach(each -> {
                started.scheduleWithFixedDelay(each.pulse()::tick, millis, millis, TimeUnit.MILLISECONDS);
                each.stream().start();
            });
        }
    }

    @Override
    public synchronized void stop() {
        installations.forEach(each -> each.stream().stop());
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
