package dev.jobs.spring.autoconfigure.client;

import dev.jobs.Internal;
import dev.jobs.JobHooks;
import java.util.AbstractList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;

/**
 * The application's hooks for client, limiters and administration, looked up when first used. A hook may itself enqueue
 * jobs, such as a death handler that sends a mail through a job; with an earlier lookup, client and hook would depend
 * on each other.
 */
@Internal
public final class LateHooks {

    private LateHooks() {}

    /** The hooks that client, limiters and administration call. */
    public static JobHooks of(ObjectProvider<JobHooks> hooks) {
        return of(SingletonSupplier.of(hooks::getObject)::obtain);
    }

    static JobHooks of(Supplier<JobHooks> hooks) {
        return new JobHooks(
                late(hooks, JobHooks::enqueueMiddleware),
                late(hooks, JobHooks::jobMiddleware),
                late(hooks, JobHooks::retryPolicies),
                late(hooks, JobHooks::deathHandlers),
                late(hooks, JobHooks::errorHandlers),
                late(hooks, JobHooks::listeners),
                late(hooks, JobHooks::argumentMasks));
    }

    private static <T> List<T> late(Supplier<JobHooks> hooks, Function<JobHooks, List<T>> part) {
        return new AbstractList<>() {
            @Override
            public T get(int index) {
                return part.apply(hooks.get()).get(index);
            }

            @Override
            public int size() {
                return part.apply(hooks.get()).size();
            }

            // Spring may keep what has hooks in a map, before they can be looked up.

            @Override
            public boolean equals(Object other) {
                return this == other;
            }

            @Override
            public int hashCode() {
                return System.identityHashCode(this);
            }
        };
    }
}
