package dev.jobs.transactions;

import dev.jobs.Internal;

/** What waits in the outbox of an application. Thread-safe. */
@FunctionalInterface
@Internal
public interface OutboxBacklog {

    /** The number of committed rows: jobs that are not known to be in Redis, and commits of batches. */
    long rows();
}
