package dev.jobs.spring.autoconfigure.installations;

import dev.jobs.Internal;
import dev.jobs.client.JobStore;
import dev.jobs.store.DeadSetBounds;
import org.jspecify.annotations.Nullable;

/** Where the client stores jobs if it isn't the application's Redis alone. */
@Internal
@FunctionalInterface
public interface OwnStores {

    /** Returns null if it is that. */
    @Nullable JobStore store(DeadSetBounds dead);
}
