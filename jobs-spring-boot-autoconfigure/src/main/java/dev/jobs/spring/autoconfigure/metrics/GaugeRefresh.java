package dev.jobs.spring.autoconfigure.metrics;

import dev.jobs.codec.AnyFailure;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.context.SmartLifecycle;

/** Reads the gauges periodically, on its own thread, while the application runs. */
final class GaugeRefresh implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(GaugeRefresh.class);

    private static final Duration PAUSE = Duration.ofSeconds(5);

    /** Stops after the worker and the web server, so that a scrape sees how the worker ends. */
    private static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 2048;

    private final Runnable refresh;

    private volatile @Nullable ScheduledExecutorService thread;

    /** Confined to the thread. */
    private boolean failing;

    GaugeRefresh(Runnable refresh) {
        this.refresh = refresh;
    }

    @Override
    public void start() {
        ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(run -> {
            Thread daemon = new Thread(run, "jobs-metrics");
            daemon.setDaemon(true);
            return daemon;
        });
        started.scheduleWithFixedDelay(this::runOnce, 0, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        thread = started;
    }

    /**
     * Throws nothing, or it would not be called again. An OutOfMemoryError is left to the JVM: this is not the place to
     * end a process.
     */
    void runOnce() {
        try {
            refresh.run();
            if (failing) {
                failing = false;
                log.info("Reading the job gauges works again");
            }
        } catch (Throwable e) {
            boolean first = !failing;
            failing = true;
            if (first) {
                AnyFailure.log(
                        log,
                        Level.WARN,
                        "Reading the job gauges failed; retrying every " + PAUSE.toSeconds() + " s",
                        e);
            }
        }
    }

    @Override
    public void stop() {
        ScheduledExecutorService running = thread;
        thread = null;
        if (running == null) {
            return;
        }
        running.shutdownNow();
        try {
            if (!running.awaitTermination(1, TimeUnit.SECONDS)) {
                log.debug("The thread jobs-metrics still waits for Redis and ends afterwards");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return thread != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
