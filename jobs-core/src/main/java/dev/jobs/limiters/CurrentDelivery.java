package dev.jobs.limiters;

import dev.jobs.Internal;
import dev.jobs.limits.Leftovers;
import org.jspecify.annotations.Nullable;

/** Which delivery the current thread runs, so that what it takes can belong to it. Thread-safe. */
@Internal
public final class CurrentDelivery {

    @SuppressWarnings("ThreadLocalUsage") // engines in one JVM must not know of each other, so it is not static
    private final ThreadLocal<@Nullable Delivery> current = new ThreadLocal<>();

    /** One delivery of a job to this process. Thread-safe. */
    public interface Delivery {

        /** The incarnation that holds the job. */
        String holder();

        String token();

        /** What happens with its settlement. */
        Leftovers leftovers();
    }

    /** The delivery that this thread runs; null outside a job. */
    public @Nullable Delivery get() {
        return current.get();
    }

    /** This thread begins to run a delivery. */
    public void enter(Delivery delivery) {
        current.set(delivery);
    }

    /** This thread has run it. */
    public void leave() {
        current.set(null); // no new entry for each job
    }
}
