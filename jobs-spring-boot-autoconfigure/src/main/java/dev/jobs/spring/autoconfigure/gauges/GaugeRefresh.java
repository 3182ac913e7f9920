package dev.jobs.spring.autoconfigure.gauges;

import dev.jobs.Internal;
import dev.jobs.codec.AnyFailure;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
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

    /** How long the thread stays when nobody looks. */
    private static final Duration SOON = Duration.ofMillis(1);

    /** Stops after the worker and the web server, so that a scrape sees how the worker ends. */
    private static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 2048;

    private final String name;
    private final Runnable refresh;
    private final BooleanSupplier watched;

    // Guarded by this.
    private @Nullable ScheduledThreadPoolExecutor executor;
    private Future<?> next = CompletableFuture.completedFuture(null);

    // Confined to the thread, which may be another one each time.
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

    synchronized void start() {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        ScheduledThreadPoolExecutor started = new ScheduledThreadPoolExecutor(1, run -> {
            Thread daemon = new Thread(null, run, name, 0, false); // nothing of a request that looks first
            daemon.setContextClassLoader(loader);
            daemon.setDaemon(true);
            return daemon;
        });
        started.setRemoveOnCancelPolicy(true);
        started.setKeepAliveTime(SOON.toMillis(), TimeUnit.MILLISECONDS);
        started.allowCoreThreadTimeOut(true);
        executor = started;
        wake();
    }

    /** Reads at once, if it runs, and then again as long as somebody looks. */
    public void wake() {
        readIn(Duration.ZERO);
    }

    private synchronized void readIn(Duration pause) {
        if (executor != null) {
            next.cancel(false); // if it has not begun
            next = executor.schedule(new Reading(), pause.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** One reading, and the next one, unless that was asked for meanwhile. */
    private final class Reading implements Runnable {

        @Override
        public void run() {
            runOnce();
            synchronized (GaugeRefresh.this) {
                if (executor == null || !executor.getQueue().isEmpty()) {
                    return;
                }
                boolean again = watched.getAsBoolean();
                // A thread that waits for the next reading would otherwise look for it all the time.
                executor.setKeepAliveTime((again ? PAUSE.multipliedBy(2) : SOON).toMillis(), TimeUnit.MILLISECONDS);
                if (again) {
                    readIn(PAUSE);
                }
            }
        }
    }

    /**
     * Throws nothing, or there would be no further reading. An OutOfMemoryError is left to the JVM: this is not the place to
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
        Map<String, ExecutorService> stopping = new LinkedHashMap<>();
        for (GaugeRefresh each : all) {
            ExecutorService running = each.end();
            if (running != null) {
                stopping.put(each.name, running);
            }
        }
        try {
            for (Map.Entry<String, ExecutorService> each : stopping.entrySet()) {
                if (!each.getValue().awaitTermination(until - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    log.debug("The thread {} still waits for Redis and ends afterwards", each.getKey());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized @Nullable ExecutorService end() {
        ExecutorService running = executor;
        executor = null;
        if (running != null) {
            running.shutdownNow();
        }
        return running;
    }

    synchronized boolean isRunning() {
        return executor != null;
    }

    int getPhase() {
        return PHASE;
    }
}
