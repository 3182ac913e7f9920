package dev.jobs.threads;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves data between Redis and a database, for the outbox and the history: again and again on a thread of its own, with
 * longer pauses while that fails, from 100 ms up to 5 s. No failure ends the thread, which nothing would start again. The
 * methods are thread-safe.
 */
@Internal
public final class BackgroundLoop {

    private static final Logger log = LoggerFactory.getLogger(BackgroundLoop.class);

    private static final Duration FIRST_BACKOFF = Duration.ofMillis(100);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(5);
    private static final long STOP_MILLIS = 5_000;

    /** What is done again and again. */
    public interface Work {

        /** Does what is due. Returns how long until the next run. */
        Duration runOnce();

        /** Called once, after the last run. */
        default void finish() {}
    }

    private final String what;
    private final Work work;
    private final Semaphore wakeUps = new Semaphore(0);
    private final Thread thread;
    private volatile boolean running = true;

    // Used by the thread alone.
    private boolean failing;

    /**
     * @param thread its name
     * @param what the subject of log lines, such as "The outbox"
     */
    public BackgroundLoop(String thread, String what, Work work) {
        this.what = what;
        this.work = work;
        this.thread = new Thread(this::run, thread);
    }

    /** Starts the thread. May be called once. */
    public void start() {
        thread.start();
    }

    /** Ends a pause. Returns at once. */
    public void wake() {
        if (wakeUps.availablePermits() == 0) {
            wakeUps.release();
        }
    }

    /** Whether it has not been told to stop. */
    public boolean isRunning() {
        return running;
    }

    /** Ends after the run under way. Returns at once. */
    public void signalStop() {
        running = false;
        wake();
    }

    /** Waits for the end, five seconds at most. */
    public void awaitEnd() {
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
            } catch (RuntimeException | Error e) { // of Redis, the database, its pool or its driver
                failed(e);
                pause(backoff);
                backoff = backoff.multipliedBy(2);
                backoff = backoff.compareTo(LONGEST_BACKOFF) < 0 ? backoff : LONGEST_BACKOFF;
            }
        }
        try {
            work.finish();
        } catch (RuntimeException | Error e) {
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

    private void failed(Throwable e) {
        try {
            log(e);
        } catch (OutOfMemoryError again) {
            // what isn't said now is said by the next failure
        }
    }

    private void log(Throwable e) {
        if (!failing) {
            if (e instanceof Error) {
                log.error("{} waits, and tries again", what, e);
            } else {
                String cause = e instanceof JobStoreException ? "Redis" : "the database";
                log.warn("{} waits: {} can't be used: {}", what, cause, e.getMessage());
            }
            failing = true;
        }
        log.debug("{} failed", what, e);
    }

    private void recovered() {
        if (failing) {
            failing = false;
            log.info("{} goes on", what);
        }
    }
}
