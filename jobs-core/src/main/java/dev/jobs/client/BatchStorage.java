package dev.jobs.client;

import dev.jobs.redis.BatchJobId;
import dev.jobs.redis.BatchStore;
import dev.jobs.redis.BatchStore.NewJob;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the jobs of a batch go: first into the journal, if there is one, then into Redis. Thread-safe.
 *
 * @param client makes the jobs
 * @param inTransaction whether the batch is removed if the calling thread's transaction is rolled back
 */
record BatchStorage(
        RedisJobClient client, BatchStore store, @Nullable BatchJournal journal, boolean inTransaction) {

    BatchStorage inTransaction(boolean part) {
        return part == inTransaction ? this : new BatchStorage(client, store, journal, part);
    }

    void begun(String batch, String name) {
        if (journal != null) {
            journal.begun(batch, name, inTransaction);
        }
    }

    /** Returns how many were added; see {@link BatchStore#fill}. */
    int fill(String batch, List<NewJob> jobs, boolean staged) {
        if (journal != null) {
            journal.adding(
                    batch,
                    jobs.stream()
                            .map(job -> new BatchJournal.Entry(
                                    new BatchJobId(batch, job.index()).jid(),
                                    job.index(),
                                    job.skipped() ? null : job.payload()))
                            .toList(),
                    inTransaction);
        }
        return store.fill(batch, jobs, staged, staged);
    }
}
