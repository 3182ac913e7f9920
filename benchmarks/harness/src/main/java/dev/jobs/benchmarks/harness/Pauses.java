package dev.jobs.benchmarks.harness;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Letting time pass where that is what is measured. */
final class Pauses {

    private Pauses() {}

    /** As long as the clock of this machine allows it to be exact; shorter if the thread is interrupted. */
    static void pause(Duration duration) {
        long end = System.nanoTime() + duration.toNanos();
        for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
        }
    }
}
