package dev.jobs.threads;

import dev.jobs.Internal;

/**
 * Something that code keeps on a thread, such as the user for whom it runs. Whatever a job, its middleware or a listener
 * leaves there is taken away before the next job of the thread. Thread-safe.
 *
 * <p>The engine itself looks after the MDC, the interrupt flag, and the thread's name, priority and context class
 * loader.
 */
@FunctionalInterface
@Internal
public interface ThreadState {

    /**
     * Remembers what the current thread has.
     *
     * @return lets the same thread have it again; run after each job, so it has to be quick if nothing has changed
     */
    Runnable remember();

    /** Takes it away from the current thread, which is then as one of a worker before its first job. */
    default void clear() {}
}
