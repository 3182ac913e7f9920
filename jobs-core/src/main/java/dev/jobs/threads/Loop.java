package dev.jobs.threads;

import dev.jobs.Internal;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Runs a task repeatedly on its own thread until stopped. Neither an exception nor an interruption ends it. A task that
 * needs no further run until the loop is woken has no thread meanwhile. Thread-safe.
 */
@Internal
public final class Loop {

    /** A pause that only {@link #wake} ends. */
    public static final Duration UNTIL_WOKEN = Duration.ofSeconds(Long.MAX_VALUE);

    /** One run of a task. */
    @FunctionalInterface
    public interface Task {
        /** Returns how long to pause before the next run. */
        Duration runOnce() throws InterruptedException;
    }

    private final String name;
    private final ThreadGuard guard;
    private final Task task;

    /** A permit means that the pause has to end; further permits mean the same. */
    private final Semaphore wakeUps = new Semaphore(0);

    private volatile Thread thread;
    private volatile boolean resting;
    private volatile boolean stopped;

    public Loop(String name, ThreadGuard guard, Task task) {
        this.name = name;
        this.guard = guard;
        this.task = task;
        this.thread = newThread();
    }

    private Thread newThread() {
        return new Thread(guard.watched(this::run), name);
    }

    /** Begins with a first run. May be repeated if it has thrown something. */
    public void start() {
        thread.start();
    }

    /** Ends the current pause, with a new thread if there is none meanwhile, or else the next pause. */
    public void wake() {
        if (wakeUps.availablePermits() == 0) {
            wakeUps.release();
        }
        if (resting) { // after the permit, which a thread that is about to rest looks for
            try {
                goOn();
            } catch (Throwable e) { // the next call tries again
                guard.failed(name, e);
            }
        }
    }

    private synchronized void goOn() {
        if (resting && !stopped) {
            wakeUps.drainPermits(); // which the first run makes good
            Thread next = newThread();
            next.start();
            thread = next;
            resting = false;
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
        Thread last = thread;
        if (Thread.currentThread() != last) {
            Threads.join(last, patience);
        }
    }

    private void run() {
        ThreadSnapshot own = guard.snapshot();
        while (!stopped) {
            Duration pause = runOnce();
            own.restore(); // from what the application's code left, such as a listener
            if (!pause.equals(UNTIL_WOKEN)) {
                pause(pause);
            } else if (rests()) {
                return;
            }
        }
    }

    /** Whether the thread may end, since nobody has woken the loop meanwhile. */
    private synchronized boolean rests() {
        resting = true;
        if (wakeUps.drainPermits() > 0) {
            resting = false;
        }
        return resting;
    }

    private Duration runOnce() {
        try {
            Duration pause = task.runOnce();
            guard.worked(name);
            return pause;
        } catch (InterruptedException e) {
            return ThreadGuard.PAUSE; // not from the engine, and possibly in each run
        } catch (Throwable e) {
            guard.failed(name, e);
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
