package dev.jobs.transactions;

import dev.jobs.Internal;
import dev.jobs.batches.RedisBatches;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the jobs of a transaction in the application's database until they are in Redis. Called by threads in
 * transactions. Thread-safe.
 */
@Internal
public interface Outbox {

    /**
     * A job to keep.
     *
     * @param at when it is due, in epoch seconds as text; null if it goes to its queue at once
     */
    record Entry(String queue, String jid, @Nullable String at, byte[] payload) {}

    /**
     * Whether the calling thread's transaction can keep jobs: it can write, to the database of this outbox.
     *
     * @throws dev.jobs.JobsException if jobs must not be enqueued in this transaction
     */
    boolean isReady();

    /** Writes jobs in the calling thread's transaction. What it throws rolls the transaction back. */
    void keep(List<Entry> jobs);

    /**
     * Writes the commit of a batch, whose jobs are in Redis, in the calling thread's transaction. What it throws rolls
     * the transaction back.
     *
     * @param commit for {@link RedisBatches#commit}
     */
    void keepBatch(String id, byte[] commit);

    /** A transaction with jobs or batches was committed. Returns soon, and throws nothing. */
    void committed();
}
