package dev.jobs.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waiting for threads. */
final class Threads {

    private Threads() {}

    /** Waits for the end of a thread. Returns whether it came in time. */
    static boolean join(Thread thread, Duration patience) {
        return await(patience, nanos -> {
            TimeUnit.NANOSECONDS.timedJoin(thread, nanos);
            return !thread.isAlive();
        });
    }

    /** A wait for something, of at most the given nanoseconds. */
    @FunctionalInterface
    interface Wait {
        boolean await(long nanos) throws InterruptedException;
    }

    /** Waits even if the caller is interrupted, since a stop that is cut short would leave threads behind; the flag is kept. */
    static boolean await(Duration patience, Wait wait) {
        boolean interrupted = false;
        long deadline = System.nanoTime() + patience.toNanos();
        try {
            while (true) {
                try {
                    return wait.await(Math.max(1, deadline - System.nanoTime()));
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Waits on a monitor until a condition holds. */
    static boolean await(Object monitor, Duration patience, BooleanSupplier condition) {
        return await(patience, nanos -> {
            long deadline = System.nanoTime() + nanos;
            synchronized (monitor) {
                while (!condition.getAsBoolean()) {
                    long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                    if (left <= 0) {
                        return false;
                    }
                    monitor.wait(left);
                }
                return true;
            }
        });
    }
}
