package dev.jobs.limiters;

import dev.jobs.JobStoreException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Limits how often something happens; made by {@link Limiters}. Immutable and thread-safe. */
public interface Limiter {

    /** Its name. */
    String name();

    /**
     * A limiter that waits for room, on the caller's thread. Without it, and by default, a caller doesn't wait: in a
     * job that is best, since a job that comes back later keeps no thread.
     *
     * @param wait 0 to 1 day; a wait that can't be long enough is not begun
     */
    Limiter waitAtMost(Duration wait);

    /**
     * Does something if there is room.
     *
     * @throws OverLimitException if there is none, or if the thread was interrupted while it waited
     * @throws JobStoreException if Redis can't be asked; nothing is done then
     */
    default <X extends Exception> void run(Action<X> action) throws X {
        this.<Boolean, X>call(() -> {
            action.run();
            return true;
        });
    }

    /** The same with a result. */
    <T extends @Nullable Object, X extends Exception> T call(Work<T, X> work) throws X;

    /** Something to do. */
    @FunctionalInterface
    interface Action<X extends Exception> {
        void run() throws X;
    }

    /** Something with a result. */
    @FunctionalInterface
    interface Work<T extends @Nullable Object, X extends Exception> {
        T call() throws X;
    }
}
