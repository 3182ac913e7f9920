package dev.jobs.client;

import dev.jobs.Internal;
import java.util.Collection;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The jobs that wait for the end of one transaction. Used by one thread at a time. */
@FunctionalInterface
@Internal
public interface WaitingJobs {

    /** Finds those of the caller's transaction; null if its jobs are stored at once. */
    @FunctionalInterface
    interface OfCaller extends Supplier<@Nullable WaitingJobs> {

        /** Every call stores its jobs itself. */
        OfCaller NONE = () -> null;
    }

    /**
     * Adds jobs, all or none.
     *
     * @throws dev.jobs.InvalidJobException if one of them can't wait
     */
    void add(Collection<CheckedJob> jobs);
}
