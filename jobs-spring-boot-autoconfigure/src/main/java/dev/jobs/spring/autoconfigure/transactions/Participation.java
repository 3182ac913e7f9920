package dev.jobs.spring.autoconfigure.transactions;

import dev.jobs.transactions.Transactions.Transaction;
import dev.jobs.transactions.Transactions.Work;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;

/** The part of jobs in one transaction. Used by one thread at a time. */
abstract class Participation implements Transaction {

    private static final Logger log = LoggerFactory.getLogger(Participation.class);

    private final Map<Object, Work> works = new LinkedHashMap<>();
    private boolean over;
    private boolean committed;

    /** Whether the transaction has ended: what follows is stored by its own call. */
    final boolean isOver() {
        return over;
    }

    /** Whether it has ended without a commit, as far as is known. */
    final boolean isLost() {
        return over && !committed;
    }

    @Override
    @SuppressWarnings("unchecked") // an owner always gives the same kind of work
    public <W extends Work> W work(Object owner, Supplier<W> created) {
        return (W) works.computeIfAbsent(owner, none -> created.get());
    }

    /** All that waits, by its owners. */
    final Map<Object, Work> works() {
        return works;
    }

    /** The transaction is committed, so nothing may be thrown at its caller. */
    final void committed() {
        over = true;
        committed = true;
        each(Work::committed);
    }

    /** @param status as in {@link TransactionSynchronization} */
    final void completed(int status) {
        if (over) {
            return;
        }
        if (status == TransactionSynchronization.STATUS_COMMITTED) {
            committed();
            return;
        }
        over = true;
        if (status == TransactionSynchronization.STATUS_ROLLED_BACK) {
            works.values().forEach(work -> work.rollBackTo(0));
            return;
        }
        if (!works.isEmpty()) {
            log.error(
                    "It is unknown whether a transaction was committed. What waited for it is not enqueued, unless "
                            + "it is in an outbox: {}",
                    works.values());
        }
        works.values().forEach(Work::uncertain);
    }

    private void each(Consumer<Work> end) {
        for (Work work : works.values()) {
            try {
                end.accept(work);
            } catch (RuntimeException e) {
                log.error("What waited for a transaction is not enqueued: {}", work, e);
            }
        }
    }
}
