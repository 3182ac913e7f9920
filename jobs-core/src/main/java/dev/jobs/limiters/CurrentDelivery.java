package dev.jobs.limiters;

import dev.jobs.Internal;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.Outcome;
import dev.jobs.store.Effect;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which delivery the current thread runs, so that what it takes can belong to it. Thread-safe. */
@Internal
public final class CurrentDelivery {

    @SuppressWarnings("ThreadLocalUsage") // engines in one JVM must not know of each other, so it is not static
    private final ThreadLocal<@Nullable ClaimedJob> current = new ThreadLocal<>();

    /** What still has to happen when a job is settled, since nothing else has done it. Thread-safe. */
    static final class Leftovers {

        // Guarded by this.
        private final List<Effect> effects = new ArrayList<>();

        synchronized void add(Effect effect) {
            effects.add(effect);
        }

        /** It is done. */
        synchronized void remove(Effect effect) {
            effects.remove(effect);
        }

        synchronized List<Effect> all() {
            return List.copyOf(effects);
        }
    }

    /** The delivery that this thread runs; null outside a job. */
    @Nullable ClaimedJob get() {
        return current.get();
    }

    /** This thread begins to run a delivery. */
    void enter(ClaimedJob delivery) {
        current.set(delivery);
    }

    /** This thread has run it. */
    void leave() {
        current.set(null); // no new entry for each job
    }

    /** What happens with the settlement of a delivery. */
    static Leftovers leftovers(ClaimedJob delivery) {
        return delivery.part(Leftovers.class, Leftovers::new);
    }

    /** What a job has not given back; nothing while its thread goes on, which gives it back itself. */
    public static void notGivenBack(List<Effect> all, ClaimedJob job, @Nullable Outcome outcome) {
        Leftovers left = job.part(Leftovers.class);
        if (left != null && job.isFinished()) {
            all.addAll(left.all());
        }
    }
}
