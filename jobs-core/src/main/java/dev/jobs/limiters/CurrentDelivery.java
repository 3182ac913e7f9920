package dev.jobs.limiters;

import dev.jobs.Internal;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.Outcome;
import dev.jobs.store.Effect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which delivery the current thread runs, so that what it takes can belong to it. Thread-safe. */
@Internal
public final class CurrentDelivery {

    @SuppressWarnings("ThreadLocalUsage") // engines in one JVM must not know of each other, so it is not static
    private final ThreadLocal<@Nullable ClaimedJob> current = new ThreadLocal<>();

    /** What is being run of those that took permits. */
    private final Set<ClaimedJob> holders = ConcurrentHashMap.newKeySet();

    /** When deliveries last took permits of which limiters, on the monotonic clock. */
    private final Map<String, Long> used = new ConcurrentHashMap<>();

    /** What a job has taken and not given back. Thread-safe. */
    static final class Leftovers {

        private static final Duration PAUSE = Duration.ofSeconds(1);

        /** @param effect that of the job's settlement; free: the same at once, if Redis can be reached */
        private record Taken(String permit, Effect effect, BooleanSupplier free) {}

        // Guarded by this.
        private final List<Taken> all = new ArrayList<>();

        /**
         * @param permit its name
         * @param effect gives it back with the settlement
         * @param free gives it back at once; returns whether it did
         */
        synchronized void add(String permit, Effect effect, BooleanSupplier free) {
            all.add(new Taken(permit, effect, free));
        }

        /** It is done. */
        synchronized void remove(Effect effect) {
            all.removeIf(each -> each.effect().equals(effect));
        }

        synchronized List<Effect> effects() {
            return all.stream().map(Taken::effect).toList();
        }

        private synchronized List<Taken> all() {
            return List.copyOf(all);
        }

        /** Gives it back without a settlement, once Redis can be reached. With the process ends what it holds. */
        void giveBack(BooleanSupplier stopping) throws InterruptedException {
            for (Taken each : all()) {
                while (!each.free().getAsBoolean() && !stopping.getAsBoolean()) {
                    TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
                }
            }
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
        ClaimedJob left = current.get();
        if (left != null && !holders.isEmpty()) {
            holders.remove(left);
        }
        current.set(null); // no new entry for each job
    }

    /** A delivery is about to take a permit of a limiter, of which its leftovers know. */
    void takes(ClaimedJob delivery, String limiter, long now) {
        holders.add(delivery);
        used.put(limiter, now);
    }

    /** The names of the permits that threads hold or are about to take. */
    Set<String> permits() {
        return holders.stream()
                .flatMap(each -> leftovers(each).all().stream().map(Leftovers.Taken::permit))
                .collect(Collectors.toSet());
    }

    /** The limiters of which deliveries took permits. */
    Set<String> used() {
        return Set.copyOf(used.keySet());
    }

    /** Forgets limiters of which none has taken a permit since then. */
    void forget(long since) {
        used.values().removeIf(last -> last - since < 0);
    }

    /** What happens with the settlement of a delivery. */
    static Leftovers leftovers(ClaimedJob delivery) {
        return delivery.part(Leftovers.class, Leftovers::new);
    }

    /** What a job has not given back; nothing while its thread goes on, which gives it back itself. */
    public static void notGivenBack(List<Effect> all, ClaimedJob job, @Nullable Outcome outcome) {
        Leftovers left = job.part(Leftovers.class);
        if (left != null && job.isFinished()) {
            all.addAll(left.effects());
        }
    }

    /** The thread of a job is done with it that was settled without what this one had taken. */
    static void givesBack(ClaimedJob job) {
        Leftovers left = job.part(Leftovers.class);
        if (left != null) {
            try {
                left.giveBack(job::isStopping);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
