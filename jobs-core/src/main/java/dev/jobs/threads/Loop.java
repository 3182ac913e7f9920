package dev.jobs.threads;

import dev.jobs.Internal;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Runs a task repeatedly on its own thread until stopped. Neither an exception nor an interruption ends it. */
@Internal
public final class Loop {

    /** One run of a task. */
    @FunctionalInterface
    public interface Task {
        /** Returns how long to pause before the next run. */
        Duration runOnce() throws InterruptedException;
    }

    private final ThreadGuard guard;
    private final Task task;
    private final Thread thread;

    /** A permit means that the pause has to end; further permits mean the same. */
    private final Semaphore wakeUps = new Semaphore(0);

    private volatile boolean stopped;

    public Loop(String name, ThreadGuard guard, Task task) {
        this.guard = guard;
        this.task = task;
        this.thread = new Thread(guard.watched(this::run), name);
    }

    public void start() {
        thread.start();
    }

    /** Ends the current pause, or else the next one. */
    public void wake() {
        if (wakeUps.availablePermits() == 0) {
            wakeUps.release();
        }
    }

    /** Makes the current run the last one. */
    public void end() {
        stopped = true;
        wake();
    }

    /** Makes the current run the last one and waits for its end. */
    public void stop(Duration patience) {
        end();
        if (Thread.currentThread() != thread) {
            Threads.join(thread, patience);
        }
    }

    private void run() {
        ThreadSnapshot own = guard.snapshot();
        while (!stopped) {
            Duration pause = runOnce();
            own.restore(); // from what the application's code left, such as a listener
            pause(pause);
        }
    }

    private Duration runOnce() {
        try {
            Duration pause = task.runOnce();
            guard.worked(thread.getName());
            return pause;
        } catch (InterruptedException e) {
            return ThreadGuard.PAUSE; // not from the engine, and possibly in each run
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
            // ends the pause early
        }
    }
}
