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

/** Reads the gauges again and again, on a thread of its own, while the application runs. */
final class GaugeRefresh implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(GaugeRefresh.class);

    private static final Duration PAUSE = Duration.ofSeconds(5);

    /** After the worker and the web server, so that a scrape sees how the worker ends. */
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

    /** Throws nothing, or it would not be called again. That memory ran out is left to the JVM: this is not where to end a process. */
    void runOnce() {
        try {
            refresh.run();
            if (failing) {
                failing = false;
                log.info("The gauges of jobs are read again");
            }
        } catch (Throwable e) {
            boolean first = !failing;
            failing = true;
            if (first) {
                AnyFailure.log(
                        log,
                        Level.WARN,
                        "Reading the gauges of jobs failed; that is tried again every " + PAUSE.toSeconds() + " s",
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
                log.debug("The thread jobs-metrics still waits for Redis and ends after that");
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
