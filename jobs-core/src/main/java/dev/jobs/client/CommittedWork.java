package dev.jobs.client;

import dev.jobs.codec.AnyFailure;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Goes on with what committed transactions left to do and Redis did not take in time, on one thread that ends when it
 * is idle. Thread-safe.
 */
final class CommittedWork implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(CommittedWork.class);

    private static final long IDLE_SECONDS = 10;
    private static final long PAUSE_MILLIS = 100;

    private final Duration patience;
    private final ThreadPoolExecutor thread;

    /** @param patience how long work is repeated, and how long {@link #close} waits for it */
    CommittedWork(Duration patience) {
        this.patience = patience;
        this.thread =
                new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread made = new Thread(task, "jobs-client-commit");
                    made.setDaemon(true);
                    return made;
                });
        thread.allowCoreThreadTimeOut(true);
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

    /** Runs work later; what it throws is logged. Runs it at once if this was closed. */
    void later(Runnable work) {
        Runnable guarded = () -> {
            try {
                work.run();
            } catch (Throwable e) {
                AnyFailure.passOutOfMemory(e);
                AnyFailure.log(log, Level.ERROR, "Work of a committed transaction failed", e);
            }
        };
        if (thread.isShutdown()) {
            guarded.run();
        } else {
            thread.execute(guarded);
        }
    }

    /** Waits until the work of before is done, at most for the patience. */
    void awaitDone() {
        if (thread.getActiveCount() == 0 && thread.getQueue().isEmpty()) {
            return;
        }
        CountDownLatch done = new CountDownLatch(1);
        later(done::countDown);
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
        thread.shutdown();
        try {
            if (!thread.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            thread.shutdownNow();
        }
    }
}
