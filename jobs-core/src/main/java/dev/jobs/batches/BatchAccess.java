package dev.jobs.batches;

import dev.jobs.Internal;
import dev.jobs.JobHooks;

/** Gives running jobs their batch; see {@link JobBatch#of}. Thread-safe. */
@FunctionalInterface
@Internal
public interface BatchAccess {

    /** For an engine without batches. */
    BatchAccess NONE = id -> {
        throw new IllegalStateException("This worker has no access to batches; pass one in JobHooks");
    };

    /** That of the hooks. */
    static BatchAccess of(JobHooks hooks) {
        BatchAccess access = hooks.tool(BatchAccess.class);
        return access == null ? NONE : access;
    }

    /** The batch with that id. Makes no call to Redis. */
    JobBatch batch(String id);
}
