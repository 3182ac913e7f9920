package dev.jobs.batches;

import dev.jobs.Internal;
import dev.jobs.JobContext;

/** Gives running jobs their batch; see {@link JobContext#batch}. Thread-safe. */
@FunctionalInterface
@Internal
public interface BatchAccess {

    /** For an engine without batches. */
    BatchAccess NONE = id -> {
        throw new IllegalStateException("This worker has no access to batches; pass one in JobHooks");
    };

    /** The batch with that id. Makes no call to Redis. */
    JobBatch batch(String id);
}
