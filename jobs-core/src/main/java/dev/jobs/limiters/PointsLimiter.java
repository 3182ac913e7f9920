package dev.jobs.limiters;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many points are used; made by {@link Limiters#points}. A use takes its estimate before it begins, and says
 * afterwards what it has really cost. Immutable and thread-safe.
 *
 * <pre>{@code
 * limiters.points("shop-api", 1_000, 50).estimate(20).run(call -> call.used(client.query().cost()));
 * }</pre>
 */
public interface PointsLimiter {

    /** Its name. */
    String name();

    /** As {@link Limiter#waitAtMost}. */
    PointsLimiter waitAtMost(Duration wait);

    /**
     * A limiter whose uses take so many points at first; 1 unless set.
     *
     * @param points 0 to the size
     */
    PointsLimiter estimate(long points);

    /** As {@link Limiter#run}. */
    default <X extends Exception> void run(Action<X> action) throws X {
        this.<Boolean, X>call(use -> {
            action.run(use);
            return true;
        });
    }

    /** As {@link Limiter#call}. */
    <T extends @Nullable Object, X extends Exception> T call(Work<T, X> work) throws X;

    /** One use. Not thread-safe. */
    @FunctionalInterface
    interface Call {

        /**
         * Says how many points this use has cost, instead of the estimate. The last value counts; it is sent when the
         * block ends, however it ends. More than there are makes later uses wait.
         *
         * @param points 0 to 1,000,000,000
         */
        void used(long points);
    }

    /** Something to do. */
    @FunctionalInterface
    interface Action<X extends Exception> {
        void run(Call call) throws X;
    }

    /** Something with a result. */
    @FunctionalInterface
    interface Work<T extends @Nullable Object, X extends Exception> {
        T call(Call call) throws X;
    }
}
