package dev.jobs.outbox;

import dev.jobs.InvalidJobException;
import dev.jobs.spring.autoconfigure.database.CurrentTransaction;
import dev.jobs.transactions.Outbox;
import java.time.Clock;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Writes jobs into the outbox, and wakes the relay after the commit. */
final class JdbcOutbox implements Outbox {

    private final DataSource database;
    private final CurrentTransaction transaction;
    private final OutboxTable table;
    private final Clock clock;
    private final ObjectProvider<OutboxRelays> relays;
    private final Runnable beforeUse;

    /**
     * @param relays none if this application leaves them to another one
     * @param beforeUse run before each use of the table
     */
    JdbcOutbox(
            DataSource database,
            CurrentTransaction transaction,
            OutboxTable table,
            Clock clock,
            ObjectProvider<OutboxRelays> relays,
            Runnable beforeUse) {
        this.database = database;
        this.transaction = transaction;
        this.table = table;
        this.clock = clock;
        this.relays = relays;
        this.beforeUse = beforeUse;
    }

    /**
     * {@inheritDoc} A transaction that only reads keeps none; its jobs follow after it.
     *
     * @throws InvalidJobException if the transaction is one of another database
     */
    @Override
    public boolean isReady() {
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            return false;
        }
        if (!transaction.isOf(database)) {
            throw new InvalidJobException(
                    "Jobs can't be kept in the outbox: this transaction is not one of the outbox's DataSource. Enqueue them in one of "
                            + "its transactions, or with jobs.now()");
        }
        return true;
    }

    @Override
    public void keep(List<Entry> jobs) {
        add(jobs);
    }

    @Override
    public void keepBatch(String id, byte[] commit) {
        add(List.of(new Entry(OutboxTable.BATCH, id, null, commit)));
    }

    private void add(List<Entry> rows) {
        beforeUse.run();
        table.add(rows, clock.millis());
        relays.ifAvailable(each -> each.check(table));
    }

    @Override
    public void committed() {
        relays.ifAvailable(OutboxRelays::wake);
    }
}
