package dev.jobs.client;

import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The batches that wait for the commit of one transaction. Their jobs are in Redis, where none of them runs: the commit
 * of the transaction is followed by that of the batch. Used by one thread at a time.
 */
final class BatchesOfTransaction implements Transactions.Work {

    private static final Logger log = LoggerFactory.getLogger(BatchesOfTransaction.class);

    private static final long PAUSE_MILLIS = 100;

    /** @param keyed whether another call may create the same batch */
    private record Prepared(BatchPlan plan, boolean keyed) {}

    private final Consumer<BatchPlan> commit;
    private final CommittedWork background;
    private final List<Prepared> batches = new ArrayList<>();

    /** @param commit commits a batch and lets its jobs begin; may be repeated */
    BatchesOfTransaction(Consumer<BatchPlan> commit, CommittedWork background) {
        this.commit = commit;
        this.background = background;
    }

    void add(BatchPlan plan, boolean keyed) {
        batches.add(new Prepared(plan, keyed));
    }

    @Override
    public int mark() {
        return batches.size();
    }

    /** A batch with a key is left to the next call with that key, or to expire. */
    @Override
    public void rollBackTo(int mark) {
        List<Prepared> dropped = batches.subList(mark, batches.size());
        for (Prepared each : dropped) {
            if (!each.keyed()) {
                each.plan().discard();
            }
        }
        dropped.clear();
    }

    @Override
    public String toString() {
        return batches.size() + " batches "
                + batches.stream().map(each -> each.plan().id()).toList();
    }

    @Override
    public void committed() {
        for (Prepared each : batches) {
            try {
                commit.accept(each.plan());
            } catch (JobStoreException e) {
                log.warn(
                        "Batch {} of a committed transaction is not committed yet, and is tried again for {} s: {}",
                        each.plan().id(),
                        background.patience().toSeconds(),
                        e.getMessage());
                background.later(() -> goOn(each.plan()));
            } catch (JobsException e) {
                logLost(each.plan(), e);
            }
        }
    }

    private void goOn(BatchPlan plan) {
        long deadline = System.nanoTime() + background.patience().toNanos();
        while (true) {
            try {
                commit.accept(plan);
                return;
            } catch (JobStoreException e) {
                if (System.nanoTime() - deadline >= 0) {
                    logLost(plan, e);
                    return;
                }
            } catch (JobsException e) {
                logLost(plan, e);
                return;
            }
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private static void logLost(BatchPlan plan, JobsException failure) {
        log.error(
                "Batch {} of a committed transaction is not committed, and its jobs do not run: {}",
                plan.id(),
                failure.getMessage());
    }
}
