package dev.jobs.threads;

import dev.jobs.Internal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waiting for threads. */
@Internal
public final class Threads {

    private static final long CHECK_MILLIS = 2;

    /** What is noted of a job that called {@code System.exit}. */
    public static final String SYSTEM_EXIT = "System.exit: The job called it";

    private Threads() {}

    /** Waits for the end of a thread. Returns whether it ended in time. */
    public static boolean join(Thread thread, Duration patience) {
        return await(patience, nanos -> {
            TimeUnit.NANOSECONDS.timedJoin(thread, nanos);
            return !thread.isAlive();
        });
    }

    /** A wait for something, of at most the given nanoseconds. */
    @FunctionalInterface
    public interface Wait {
        boolean await(long nanos) throws InterruptedException;
    }

    /**
     * Waits even if the caller is interrupted, because a stop that is cut short would leave threads behind. Keeps the
     * interrupt flag.
     */
    public static boolean await(Duration patience, Wait wait) {
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

    /**
     * Waits until a condition holds. Checks it repeatedly, so that the hot path needs no signal. Returns whether it
     * holds.
     */
    public static boolean await(Duration patience, BooleanSupplier condition) {
        return await(patience, (Wait) nanos -> {
            long deadline = System.nanoTime() + nanos;
            while (!condition.getAsBoolean()) {
                if (System.nanoTime() - deadline >= 0) {
                    return false;
                }
                Thread.sleep(CHECK_MILLIS);
            }
            return true;
        });
    }

    /** Whether it called {@code System.exit}: it waits for the end of the process, which it began. */
    public static boolean isExiting(Thread thread) {
        return isExiting(thread.getStackTrace());
    }

    static boolean isExiting(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            if (frame.getClassName().equals("java.lang.Runtime")
                    && frame.getMethodName().equals("exit")) {
                return true;
            }
        }
        return false;
    }

    /** Where it is now, a line for each frame. */
    public static List<String> frames(Thread thread) {
        return frames(thread.getStackTrace());
    }

    public static List<String> frames(StackTraceElement[] stack) {
        List<String> frames = new ArrayList<>();
        for (StackTraceElement frame : stack) {
            frames.add(frame.toString());
        }
        return frames;
    }
}
