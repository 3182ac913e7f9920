package dev.jobs.spring.autoconfigure.transactions;

import dev.jobs.transactions.Transactions;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transactions that Spring manages on the calling thread, of any transaction manager. Jobs of a method with a
 * transaction of its own ({@code REQUIRES_NEW}) wait for that one. A method that only supports transactions and was
 * called without one has none.
 *
 * <p>As a listener of a transaction manager it takes part in each transaction from the begin. Otherwise a job that is
 * the first one of its transaction and comes while that commits, as from a callback of an entity that is flushed, would
 * be too late for what has to happen before the commit.
 */
final class SpringTransactions implements Transactions, TransactionExecutionListener {

    /** A thread has the transaction of a reactive caller under it, while it makes a call for that one. */
    private final Object lent = new Object();

    /** Called by each call of a client, on its thread. */
    private final Runnable check;

    /** @param check called by each call that may wait for Redis or for a transaction */
    SpringTransactions(Runnable check) {
        this.check = check;
    }

    @Override
    public @Nullable Transaction current() {
        check.run();
        Participation reactive = (Participation) TransactionSynchronizationManager.getResource(lent);
        return reactive == null ? ofThread() : reactive;
    }

    /** Spring calls the last callbacks, those of the completion, when it has forgotten them. */
    @Override
    public boolean isEnded() {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            return false;
        }
        OfThread present = (OfThread) TransactionSynchronizationManager.getResource(this);
        return !TransactionSynchronizationManager.isSynchronizationActive() || present != null && present.isOver();
    }

    /** Makes a call whose jobs wait for this transaction. */
    <T> @Nullable T within(Participation transaction, Callable<? extends @Nullable T> call) throws Exception {
        TransactionSynchronizationManager.bindResource(lent, transaction);
        try {
            return call.call();
        } finally {
            TransactionSynchronizationManager.unbindResource(lent);
        }
    }

    private @Nullable Transaction ofThread() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()
                || !TransactionSynchronizationManager.isActualTransactionActive()) {
            return null;
        }
        OfThread present = (OfThread) TransactionSynchronizationManager.getResource(this);
        if (present == null) {
            present = new OfThread();
            TransactionSynchronizationManager.registerSynchronization(present);
            TransactionSynchronizationManager.registerSynchronization(new FirstAfterCommit(present));
            TransactionSynchronizationManager.bindResource(this, present);
        }
        return present.isOver() ? null : present;
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        if (failure == null) {
            ofThread();
        }
    }

    /** Sees the commit before other callbacks do: what they enqueue can't be made a part of it any more. */
    private record FirstAfterCommit(OfThread participation) implements TransactionSynchronization {

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCommit() {
            participation.committing = false;
        }
    }

    /** The part of jobs in a transaction of this thread. */
    private final class OfThread extends Participation implements TransactionSynchronization {

        private final Map<Object, Map<Object, Integer>> savepoints = new HashMap<>();
        private boolean committing;

        @Override
        public boolean isCommitting() {
            return committing;
        }

        @Override
        public void suspend() {
            TransactionSynchronizationManager.unbindResource(SpringTransactions.this);
        }

        @Override
        public void resume() {
            TransactionSynchronizationManager.bindResource(SpringTransactions.this, this);
        }

        @Override
        public void savepoint(Object savepoint) {
            Map<Object, Integer> marks = new HashMap<>();
            works().forEach((owner, work) -> marks.put(owner, work.mark()));
            savepoints.put(savepoint, marks);
        }

        /** A savepoint that is unknown here was set before the first job. */
        @Override
        public void savepointRollback(Object savepoint) {
            Map<Object, Integer> marks = savepoints.getOrDefault(savepoint, Map.of());
            works().forEach((owner, work) -> work.rollBackTo(marks.getOrDefault(owner, 0)));
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            committing = true;
            works().values().forEach(Work::committing);
        }

        @Override
        public void afterCommit() {
            committed();
        }

        /**
         * Also commits: a synchronization that another one's {@code afterCommit} registered, or that follows one that
         * threw, gets no call of {@code afterCommit}.
         */
        @Override
        public void afterCompletion(int status) {
            TransactionSynchronizationManager.unbindResourceIfPossible(SpringTransactions.this);
            completed(status);
        }
    }
}
