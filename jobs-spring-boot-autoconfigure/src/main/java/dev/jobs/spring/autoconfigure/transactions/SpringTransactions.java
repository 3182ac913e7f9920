package dev.jobs.spring.autoconfigure.transactions;

import dev.jobs.transactions.Transactions;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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

    private static final Logger log = LoggerFactory.getLogger(SpringTransactions.class);

    @Override
    public @Nullable Transaction current() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()
                || !TransactionSynchronizationManager.isActualTransactionActive()) {
            return null;
        }
        Participation present = (Participation) TransactionSynchronizationManager.getResource(this);
        if (present == null) {
            present = new Participation();
            TransactionSynchronizationManager.registerSynchronization(present);
            TransactionSynchronizationManager.registerSynchronization(new FirstAfterCommit(present));
            TransactionSynchronizationManager.bindResource(this, present);
        }
        return present.isOver() ? null : present;
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        if (failure == null) {
            current();
        }
    }

    /** Sees the commit before other callbacks do: what they enqueue can't be made a part of it any more. */
    private record FirstAfterCommit(Participation participation) implements TransactionSynchronization {

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCommit() {
            participation.committing = false;
        }
    }

    /** The part of jobs in one transaction. */
    private final class Participation implements Transaction, TransactionSynchronization {

        private final Map<Object, Work> works = new LinkedHashMap<>();
        private final Map<Object, Map<Object, Integer>> savepoints = new HashMap<>();
        private boolean committing;
        private boolean over;

        boolean isOver() {
            return over;
        }

        @Override
        public boolean isCommitting() {
            return committing;
        }

        @Override
        @SuppressWarnings("unchecked") // an owner always gives the same kind of work
        public <W extends Work> W work(Object owner, Supplier<W> created) {
            return (W) works.computeIfAbsent(owner, none -> created.get());
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
            works.forEach((owner, work) -> marks.put(owner, work.mark()));
            savepoints.put(savepoint, marks);
        }

        /** A savepoint that is unknown here was set before the first job. */
        @Override
        public void savepointRollback(Object savepoint) {
            Map<Object, Integer> marks = savepoints.getOrDefault(savepoint, Map.of());
            works.forEach((owner, work) -> work.rollBackTo(marks.getOrDefault(owner, 0)));
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            committing = true;
            works.values().forEach(Work::committing);
        }

        @Override
        public void afterCommit() {
            finish();
        }

        /**
         * Also commits: a synchronization that another one's {@code afterCommit} registered, or that follows one that
         * threw, gets no call of {@code afterCommit}.
         */
        @Override
        public void afterCompletion(int status) {
            TransactionSynchronizationManager.unbindResourceIfPossible(SpringTransactions.this);
            if (over) {
                return;
            }
            if (status == STATUS_COMMITTED) {
                finish();
                return;
            }
            over = true;
            if (status == STATUS_UNKNOWN) {
                if (!works.isEmpty()) {
                    log.error(
                            "It is unknown whether a transaction was committed. What waited for it is not enqueued, unless "
                                    + "it is in an outbox: {}",
                            works.values());
                }
                works.values().forEach(Work::uncertain);
            } else {
                works.values().forEach(work -> work.rollBackTo(0));
            }
        }

        /** The transaction is committed, so nothing may be thrown at its caller. */
        private void finish() {
            over = true; // what follows is stored by its own call
            for (Work work : works.values()) {
                try {
                    work.committed();
                } catch (RuntimeException e) {
                    log.error("What waited for a transaction is not enqueued: {}", work, e);
                }
            }
        }
    }
}
