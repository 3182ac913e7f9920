package dev.jobs.batches;

import dev.jobs.JobDefinitionException;
import dev.jobs.batches.BatchStore.NewJob;
import dev.jobs.client.CheckedJob;
import dev.jobs.recurring.LocalQueues;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the jobs of a batch go: first into the journal, if there is one, then into Redis. Thread-safe.
 *
 * @param client makes the jobs
 * @param queues those that are where the batches live
 * @param inTransaction whether the batch is removed if the calling thread's transaction is rolled back
 */
record BatchStorage(
        BatchClient client,
        BatchStore store,
        @Nullable BatchJournal journal,
        LocalQueues queues,
        boolean inTransaction) {

    /** @throws JobDefinitionException if the client has several shards, and it is not known which one this is */
    BatchStorage {
        if (queues.shard().isEmpty() && client.enqueuer().store().hasShards()) {
            throw new JobDefinitionException(
                    "A client of several shards makes the jobs of these batches, whose own shard is unknown",
                    "Create them with their shard.");
        }
    }

    BatchStorage inTransaction(boolean part) {
        return part == inTransaction ? this : new BatchStorage(client, store, journal, queues, part);
    }

    /** Whether a dead job of a batch can go to this queue. */
    boolean isHere(String queue) {
        return queues.holds(queue);
    }

    /** @throws dev.jobs.InvalidJobException if a job's queue is not in the shard of its batch */
    void checkIsHere(CheckedJob job) {
        queues.checkIsHere(
                job, client.enqueuer().registry(), "this batch", "create the batch with the Batches of that shard");
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
