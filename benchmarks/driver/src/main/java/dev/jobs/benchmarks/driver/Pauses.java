package dev.jobs.benchmarks.driver;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Lets time pass where the measurement requires it. */
public final class Pauses {

    private Pauses() {}

    /** Pauses as exactly as the clock of this machine allows; shorter if the thread is interrupted. */
    public static void pause(Duration duration) {
        long end = System.nanoTime() + duration.toNanos();
        for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
        }
    }
}
