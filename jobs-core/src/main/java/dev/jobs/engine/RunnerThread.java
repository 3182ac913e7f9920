package dev.jobs.engine;

import dev.jobs.ends.TimeLimit;
import org.jspecify.annotations.Nullable;

/** The thread that runs a job, whether it may be interrupted now, and how long it may take. Guarded by its job. */
final class RunnerThread {

    private @Nullable Thread thread;
    private long startedNanos;
    private boolean inside;
    private boolean interruptible;
    private boolean interrupted;
    private volatile @Nullable TimeLimit limit;

    /** The current thread begins to run the job. */
    void begin(long nanos) {
        thread = Thread.currentThread();
        startedNanos = nanos;
    }

    /** It is no longer interrupted for this job. Returns it; null if there was none. */
    @Nullable Thread release() {
        Thread released = thread;
        thread = null;
        return released;
    }

    /**
     * It begins with the application's code.
     *
     * @param whenCancelled whether a cancellation interrupts it there
     * @param allowed how long it may take; null for no limit
     */
    void enter(boolean whenCancelled, @Nullable TimeLimit allowed) {
        inside = true;
        interruptible = whenCancelled;
        limit = allowed;
    }

    /** The current thread, which is that of the job, is done with the application's code. */
    void leave() {
        inside = false;
        if (interrupted) {
            interrupted = false;
            Thread.interrupted();
        }
    }

    boolean isInside() {
        return inside && thread != null;
    }

    /** Whether a cancellation interrupts it: only once. */
    boolean wantsInterruption() {
        return interruptible && !interrupted;
    }

    /** Interrupts it in the application's code; what follows there won't notice. */
    void interruptInside() {
        interrupted = true;
        interrupt();
    }

    void interrupt() {
        if (thread != null) {
            thread.interrupt();
        }
    }

    /** Returns false if it has no limit. */
    boolean becomeSlow() {
        TimeLimit allowed = limit;
        if (allowed != null) {
            allowed.becomeSlow();
        }
        return allowed != null;
    }

    /** The time is over. */
    void tellToEnd(StackTraceElement[] stack) {
        TimeLimit allowed = limit;
        if (allowed != null) {
            allowed.tellToEnd(stack);
            interruptInside();
        }
    }

    /** Null if there is none. May be called without the job's lock. */
    @Nullable TimeLimit limit() {
        return limit;
    }

    boolean isTimedOut() {
        TimeLimit allowed = limit;
        return allowed != null && allowed.isOver();
    }

    @Nullable Thread thread() {
        return thread;
    }

    /** By the engine's own clock; meaningless before it began. */
    long startedNanos() {
        return startedNanos;
    }
}
