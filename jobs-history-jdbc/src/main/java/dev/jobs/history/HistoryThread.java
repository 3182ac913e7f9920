package dev.jobs.history;

import dev.jobs.JobStoreException;
import dev.jobs.codec.AnyFailure;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does one kind of work again and again on a thread of its own, and waits longer while it fails. */
final class HistoryThread {

    private static final Logger log = LoggerFactory.getLogger(HistoryThread.class);

    private static final Duration FIRST_BACKOFF = Duration.ofMillis(200);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(10);
    private static final long STOP_MILLIS = 5_000;

    /** What is done again and again. */
    interface Work {

        /** Does what is due. Returns how long until the next run. */
        Duration runOnce();

        /** Called once, after the last run. */
        default void finish() {}
    }

    private final String name;
    private final Work work;
    private final Semaphore wakeUps = new Semaphore(0);
    private final Thread thread;
    private volatile boolean running = true;
    private boolean failing;

    /** @param name of the thread */
    HistoryThread(String name, Work work) {
        this.name = name;
        this.work = work;
        this.thread = new Thread(this::run, name);
    }

    void start() {
        thread.start();
    }

    /** Ends after the run under way. Returns at once. */
    void signalStop() {
        running = false;
        wakeUps.release();
    }

    /** Waits for the end, five seconds at most. */
    void awaitEnd() {
        try {
            thread.join(STOP_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        Duration backoff = FIRST_BACKOFF;
        while (running) {
            try {
                Duration next = work.runOnce();
                recovered();
                backoff = FIRST_BACKOFF;
                pause(next);
            } catch (RuntimeException e) { // of Redis, the database, or its pool
                failed(e);
                pause(backoff);
                backoff = backoff.multipliedBy(2);
                backoff = backoff.compareTo(LONGEST_BACKOFF) < 0 ? backoff : LONGEST_BACKOFF;
            } catch (Error e) {
                AnyFailure.passOutOfMemory(e);
                log.error("The history of jobs failed ({}); it goes on", name, e);
                pause(LONGEST_BACKOFF);
            }
        }
        try {
            work.finish();
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    private void pause(Duration time) {
        try {
            if (wakeUps.tryAcquire(time.toMillis(), TimeUnit.MILLISECONDS)) {
                wakeUps.drainPermits();
            }
        } catch (InterruptedException e) {
            // ends the pause early
        }
    }

    private void failed(RuntimeException e) {
        if (!failing) {
            failing = true;
            String what = e instanceof JobStoreException ? "Redis" : "the database";
            log.warn("The history of jobs waits ({}): {} can't be used: {}", name, what, e.getMessage());
        }
        log.debug("The history could not be written ({})", name, e);
    }

    private void recovered() {
        if (failing) {
            failing = false;
            log.info("The history of jobs goes on ({})", name);
        }
    }
}
