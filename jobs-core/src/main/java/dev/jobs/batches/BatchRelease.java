package dev.jobs.batches;

import dev.jobs.JobStoreException;
import dev.jobs.batches.BatchStore.Complete;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets the jobs of committed batches begin. If this fails half way, the leader goes on. Thread-safe. */
final class BatchRelease {

    private static final Logger log = LoggerFactory.getLogger(BatchRelease.class);

    private final StagedJobs staged;

    BatchRelease(StagedJobs staged) {
        this.staged = staged;
    }

    void release(List<Complete> batches) {
        for (Complete batch : batches) {
            if (batch.definition().previous().isEmpty()) {
                release(batch);
            }
        }
    }

    private void release(Complete batch) {
        try {
            while (staged.release(batch.id(), batch.stagedQueues()) > 0) {
                // until none is left
            }
        } catch (JobStoreException e) {
            log.debug("The jobs of batch {} are left for the leader to release", batch.id(), e);
        }
    }
}
