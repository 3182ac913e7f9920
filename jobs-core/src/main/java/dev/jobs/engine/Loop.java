package dev.jobs.engine;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a task on a thread of its own, over and over, until stopped. A run that fails is logged and followed by the next one. */
final class Loop {

    private static final Logger log = LoggerFactory.getLogger(Loop.class);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

    /** One run of a task. */
    @FunctionalInterface
    interface Task {
        /** Returns how long to pause before the next run. */
        Duration runOnce() throws InterruptedException;
    }

    private final Task task;
    private final Thread thread;

    /** A permit means that the pause is to end; more than one means no more. */
    private final Semaphore wakeUps = new Semaphore(0);

    private volatile boolean stopped;

    Loop(String name, Task task) {
        this.task = task;
        this.thread = new Thread(this::run, name);
    }

    void start() {
        thread.start();
    }

    /** Ends a pause, or the next one if there is none now. */
    void wake() {
        if (wakeUps.availablePermits() == 0) {
            wakeUps.release();
        }
    }

    /** Lets the current run be the last. */
    void end() {
        stopped = true;
        wake();
    }

    /** Lets the current run be the last and waits for its end. */
    void stop(Duration patience) {
        end();
        if (Thread.currentThread() != thread) {
            Threads.join(thread, patience);
        }
    }

    private void run() {
        while (!stopped) {
            Duration pause;
            try {
                pause = task.runOnce();
            } catch (InterruptedException e) {
                return;
            } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
                log.error("{} failed; it goes on in {} s", thread.getName(), PAUSE_AFTER_FAILURE.toSeconds(), e);
                pause = PAUSE_AFTER_FAILURE;
            }
            try {
                if (!stopped && !pause.isZero() && wakeUps.tryAcquire(pause.toNanos(), TimeUnit.NANOSECONDS)) {
                    wakeUps.drainPermits();
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }
}
