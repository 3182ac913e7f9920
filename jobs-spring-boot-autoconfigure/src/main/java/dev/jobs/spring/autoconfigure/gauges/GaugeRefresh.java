package dev.jobs.spring.autoconfigure.gauges;

import dev.jobs.Internal;
import dev.jobs.codec.AnyFailure;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.context.SmartLifecycle;

/**
 * Reads the gauges of an installation on its own thread: once at the start of the application, and periodically while
 * somebody looks at them. While nobody does, there is no thread.
 */
@Internal
public final class GaugeRefresh {

    private static final Logger log = LoggerFactory.getLogger(GaugeRefresh.class);

    private static final Duration PAUSE = Duration.ofSeconds(5);

    /** Stops after the worker and the web server, so that a scrape sees how the worker ends. */
    private static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 2048;

    private final String name;
    private final Runnable refresh;
    private final BooleanSupplier watched;

    private volatile @Nullable ScheduledThreadPoolExecutor thread;

    private Future<?> next = CompletableFuture.completedFuture(null); // guarded by this

    // Confined to the thread.
    private boolean begun;
    private boolean failing;

    /**
     * @param name of the thread
     * @param watched whether somebody looks at the gauges
     */
    public GaugeRefresh(String name, Runnable refresh, BooleanSupplier watched) {
        this.name = name;
        this.refresh = refresh;
        this.watched = watched;
    }

    void start() {
        ScheduledThreadPoolExecutor started = new ScheduledThreadPoolExecutor(1, run -> {
            Thread daemon = new Thread(run, name);
            daemon.setDaemon(true);
            return daemon;
        });
        started.setRemoveOnCancelPolicy(true);
        started.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
        started.allowCoreThreadTimeOut(true);
        thread = started;
        wake();
    }

    /** Reads at once, if it runs, and then again as long as somebody looks. */
    public void wake() {
        readIn(Duration.ZERO);
    }

    /** Reads after a pause, instead of when it was to be before. */
    private synchronized void readIn(Duration pause) {
        ScheduledExecutorService running = thread;
        if (running != null) {
            next.cancel(false);
            try {
                next = running.schedule(this::readAndGoOn, pause.toMillis(), TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) {
                log.debug("The gauges are not read any more", e);
            }
        }
    }

    private void readAndGoOn() {
        runOnce();
        if (watched.getAsBoolean()) {
            readIn(PAUSE);
        }
    }

    /**
     * Throws nothing, or it would not be called again. An OutOfMemoryError is left to the JVM: this is not the place to
     * end a process.
     */
    void runOnce() {
        if (begun && !watched.getAsBoolean()) {
            return;
        }
        begun = true;
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

    /**
     * Tells all of them to stop, then waits for their threads, for a second in all: one that reads a Redis that is away
     * ends when its command does.
     */
    static void stop(List<GaugeRefresh> all) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        Map<String, ScheduledExecutorService> stopping = new LinkedHashMap<>();
        for (GaugeRefresh each : all) {
            ScheduledExecutorService running = each.thread;
            each.thread = null;
            if (running != null) {
                running.shutdownNow();
                stopping.put(each.name, running);
            }
        }
        try {
            for (Map.Entry<String, ScheduledExecutorService> each : stopping.entrySet()) {
                if (!each.getValue().awaitTermination(until - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    log.debug("The thread {} still waits for Redis and ends afterwards", each.getKey());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    boolean isRunning() {
        return thread != null;
    }

    int getPhase() {
        return PHASE;
    }
}
