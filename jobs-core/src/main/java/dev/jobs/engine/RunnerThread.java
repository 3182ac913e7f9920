package dev.jobs.engine;

import org.jspecify.annotations.Nullable;

/** The thread that runs a job, and whether it may be interrupted now. Guarded by its job. */
final class RunnerThread {

    private @Nullable Thread thread;
    private long startedNanos;
    private boolean inside;
    private boolean interruptible;
    private boolean interrupted;

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
     */
    void enter(boolean whenCancelled) {
        inside = true;
        interruptible |= whenCancelled;
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

    @Nullable Thread thread() {
        return thread;
    }

    /** By the engine's own clock; meaningless before it began. */
    long startedNanos() {
        return startedNanos;
    }
}
