package dev.jobs.engine;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Runs a task on a thread of its own, over and over, until stopped. Neither an exception nor an interruption ends it. */
final class Loop {

    /** One run of a task. */
    @FunctionalInterface
    interface Task {
        /** Returns how long to pause before the next run. */
        Duration runOnce() throws InterruptedException;
    }

    private final ThreadGuard guard;
    private final Task task;
    private final Thread thread;

    /** A permit means that the pause is to end; more than one means no more. */
    private final Semaphore wakeUps = new Semaphore(0);

    private volatile boolean stopped;

    Loop(String name, ThreadGuard guard, Task task) {
        this.guard = guard;
        this.task = task;
        this.thread = new Thread(guard.watched(this::run), name);
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
            Duration pause = runOnce();
            Thread.interrupted(); // only the application's code can have done it, as a listener
            pause(pause);
        }
    }

    private Duration runOnce() {
        try {
            Duration pause = task.runOnce();
            guard.worked(thread.getName());
            return pause;
        } catch (InterruptedException e) {
            return ThreadGuard.PAUSE; // not by the engine, and maybe in each run
        } catch (Throwable e) {
            guard.failed(thread.getName(), e);
            return ThreadGuard.PAUSE;
        }
    }

    private void pause(Duration pause) {
        try {
            if (!stopped && !pause.isZero() && wakeUps.tryAcquire(pause.toNanos(), TimeUnit.NANOSECONDS)) {
                wakeUps.drainPermits();
            }
        } catch (InterruptedException e) {
            // a short pause, then
        }
    }
}
