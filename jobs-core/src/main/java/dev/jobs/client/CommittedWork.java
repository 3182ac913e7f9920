package dev.jobs.client;

import dev.jobs.codec.AnyFailure;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Goes on with what committed transactions left to do and Redis did not take in time: for each shard in its order, on a
 * thread of its own that ends when it is idle, so that no shard uses up another's time. Thread-safe.
 */
final class CommittedWork implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(CommittedWork.class);

    private static final long IDLE_SECONDS = 10;
    private static final long PAUSE_MILLIS = 100;

    private final Duration patience;

    /** By the name of the shard. */
    private final Map<String, ThreadPoolExecutor> threads = new HashMap<>();

    private boolean closed;

    /** @param patience how long work is repeated, and how long {@link #close} waits for it */
    CommittedWork(Duration patience) {
        this.patience = patience;
    }

    private static ThreadPoolExecutor thread() {
        ThreadPoolExecutor thread =
                new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread made = new Thread(task, "jobs-client-commit");
                    made.setDaemon(true);
                    return made;
                });
        thread.allowCoreThreadTimeOut(true);
        return thread;
    }

    /** How long work may be repeated. */
    Duration patience() {
        return patience;
    }

    /** Waits before work is repeated. Returns false if the client closes. */
    static boolean pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Runs work later; what it throws is logged. Runs it at once if this was closed.
     *
     * @param shard the one that the work waits for
     */
    void later(String shard, Runnable work) {
        Runnable guarded = () -> {
            try {
                work.run();
            } catch (Throwable e) {
                AnyFailure.log(log, Level.ERROR, "Work of a committed transaction failed", e);
                AnyFailure.passOutOfMemory(e);
            }
        };
        synchronized (threads) {
            if (!closed) {
                threads.computeIfAbsent(shard, none -> thread()).execute(guarded);
                return;
            }
        }
        guarded.run();
    }

    /** Waits until the work of before is done, at most for the patience. */
    void awaitDone() {
        CountDownLatch done;
        synchronized (threads) {
            List<ThreadPoolExecutor> busy = threads.values().stream()
                    .filter(thread -> !closed
                            && (thread.getActiveCount() > 0
                                    || !thread.getQueue().isEmpty()))
                    .toList();
            done = new CountDownLatch(busy.size());
            busy.forEach(thread -> thread.execute(done::countDown));
        }
        try {
            if (!done.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                log.debug("Work of committed transactions is left");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until the work is done, at most for the patience. */
    @Override
    public void close() {
        long deadline = System.nanoTime() + patience.toNanos();
        List<ThreadPoolExecutor> all;
        synchronized (threads) {
            closed = true;
            all = List.copyOf(threads.values());
        }
        all.forEach(ThreadPoolExecutor::shutdown);
        try {
            for (ThreadPoolExecutor each : all) {
                if (!each.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    each.shutdownNow();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            all.forEach(ThreadPoolExecutor::shutdownNow);
        }
    }
}
