package dev.jobs.spring.autoconfigure.client;

import dev.jobs.Internal;
import dev.jobs.JobHooks;
import dev.jobs.spring.autoconfigure.beans.LateValue;
import java.util.AbstractList;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;

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
        return of(new LateValue<>(hooks::getObject));
    }

    static JobHooks of(Supplier<JobHooks> hooks) {
        JobHooks late = JobHooks.none();
        for (Class<?> kind : JobHooks.KINDS) {
            late = with(late, kind, hooks);
        }
        return late;
    }

    private static <T> JobHooks with(JobHooks late, Class<T> kind, Supplier<JobHooks> hooks) {
        return late.with(kind, new AbstractList<T>() {
            @Override
            public T get(int index) {
                return hooks.get().all(kind).get(index);
            }

            @Override
            public int size() {
                return hooks.get().all(kind).size();
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
        });
    }
}
