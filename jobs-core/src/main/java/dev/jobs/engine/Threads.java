package dev.jobs.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waiting for threads. */
final class Threads {

    private static final long LOOK_MILLIS = 2;

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

    /** Waits until a condition holds, by looking: no signal is sent, so that the hot path pays nothing. Returns whether it does. */
    static boolean await(Duration patience, BooleanSupplier condition) {
        return await(patience, (Wait) nanos -> {
            long deadline = System.nanoTime() + nanos;
            while (!condition.getAsBoolean()) {
                if (System.nanoTime() - deadline >= 0) {
                    return false;
                }
                Thread.sleep(LOOK_MILLIS);
            }
            return true;
        });
    }
}
