package dev.jobs.batches;

import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.transactions.CommittedJobs;
import dev.jobs.transactions.CommittedWork;
import dev.jobs.transactions.CommittedWork.Unit;
import dev.jobs.transactions.Outbox;
import dev.jobs.transactions.Transactions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The batches that wait for the commit of one transaction. Their jobs are in Redis, where none of them runs: the commit
 * of the transaction is followed by that of the batch, which an outbox keeps as a part of the transaction. Used by one
 * thread at a time.
 */
final class BatchesOfTransaction implements Transactions.Work {

    private static final Logger log = LoggerFactory.getLogger(BatchesOfTransaction.class);

    /** @param keyed whether another call may create the same batch */
    private record Prepared(BatchPlan plan, boolean keyed) {}

    private final Transactions.Transaction transaction;
    private final Consumer<BatchPlan> commit;
    private final CommittedWork background;
    private final String shard;

    /** Keeps commits as part of the transaction; null if they follow it. */
    private final @Nullable Outbox outbox;

    private final List<Prepared> batches = new ArrayList<>();

    /** How many of the batches, from the first, have their commit in the outbox. */
    private int kept;

    /**
     * @param commit commits a batch and lets its jobs begin; may be repeated
     * @param storage where the batches are
     */
    BatchesOfTransaction(Transactions.Transaction transaction, Consumer<BatchPlan> commit, BatchStorage storage) {
        this.transaction = transaction;
        this.commit = commit;
        CommittedJobs committed = storage.client().committed();
        this.background = committed.work();
        this.shard = storage.queues().shard();
        this.outbox = committed.outbox();
    }

    void add(BatchPlan plan, boolean keyed) {
        batches.add(new Prepared(plan, keyed));
        if (transaction.isCommitting()) {
            keep();
        }
    }

    @Override
    public int mark() {
        return batches.size();
    }

    /** A batch with a key is left to the next call with that key, or to expire. */
    @Override
    public void rollBackTo(int mark) {
        List<Prepared> dropped = batches.subList(mark, batches.size());
        List<BatchPlan> discarded = dropped.stream()
                .filter(each -> !each.keyed())
                .map(Prepared::plan)
                .toList();
        if (!discarded.isEmpty()) {
            background.begin(shard, () -> discarded.forEach(BatchPlan::discard)).await();
        }
        dropped.clear();
        kept = Math.min(kept, mark);
    }

    /** What is in the outbox may be committed from there; otherwise it expires. */
    @Override
    public void uncertain() {
        rollBackTo(kept);
    }

    @Override
    public void committing() {
        keep();
    }

    private void keep() {
        while (outbox != null && kept < batches.size() && outbox.isReady()) {
            BatchPlan next = batches.get(kept).plan();
            outbox.keepBatch(next.id(), next.kept());
            kept++;
        }
    }

    @Override
    public String toString() {
        return Unit.BATCH.counted(batches.size()) + " "
                + batches.stream().map(each -> each.plan().id()).toList();
    }

    @Override
    public void committed() {
        if (outbox != null && kept > 0) {
            outbox.committed();
        }
        List<BatchPlan> left = batches.subList(kept, batches.size()).stream()
                .map(Prepared::plan)
                .toList();
        if (!left.isEmpty()) {
            long deadline = System.nanoTime() + background.patience().toNanos();
            background
                    .begin(shard, () -> left.forEach(plan -> commit(plan, deadline)))
                    .await();
        }
    }

    private void commit(BatchPlan plan, long deadline) {
        try {
            commit.accept(plan);
            background.answered(shard);
        } catch (JobStoreException e) {
            background.failed(shard, Unit.BATCH, 1, e);
            background.later(shard, () -> goOn(plan, deadline, e));
        } catch (JobsException e) {
            logLost(plan, e);
        }
    }

    private void goOn(BatchPlan plan, long deadline, JobStoreException first) {
        boolean committed = isCommitted(plan, deadline, first);
        background.ended(shard, Unit.BATCH, 1, committed ? 0 : 1);
        if (committed) {
            background.answered(shard);
        }
    }

    private boolean isCommitted(BatchPlan plan, long deadline, JobStoreException first) {
        JobStoreException last = first;
        while (System.nanoTime() - deadline < 0 || !background.isSilent(shard)) {
            try {
                commit.accept(plan);
                return true;
            } catch (JobStoreException e) {
                last = e;
                if (System.nanoTime() - deadline >= 0 || !CommittedWork.pause()) {
                    break;
                }
            } catch (JobsException e) {
                logLost(plan, e);
                return false;
            }
        }
        logLost(plan, last);
        return false;
    }

    private static void logLost(BatchPlan plan, JobsException failure) {
        log.error(
                "Batch {} of a committed transaction is not committed, and its jobs do not run: {}",
                plan.id(),
                failure.getMessage());
    }
}
