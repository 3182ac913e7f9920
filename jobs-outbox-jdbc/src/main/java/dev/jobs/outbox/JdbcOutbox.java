package dev.jobs.outbox;

import dev.jobs.InvalidJobException;
import dev.jobs.transactions.Outbox;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Writes jobs into the outbox, and wakes the relay after the commit. */
final class JdbcOutbox implements Outbox {

    private final DataSource database;
    private final OutboxTable table;
    private final Clock clock;
    private final ObjectProvider<OutboxRelays> relays;

    /** @param relays none if this application leaves them to another one */
    JdbcOutbox(DataSource database, OutboxTable table, Clock clock, ObjectProvider<OutboxRelays> relays) {
        this.database = database;
        this.table = table;
        this.clock = clock;
        this.relays = relays;
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
        if (!isTransactional()) {
            throw new InvalidJobException(
                    "Jobs can't be kept in the outbox: this transaction is not one of the outbox's DataSource. Enqueue them in one of "
                            + "its transactions, or with jobs.now()");
        }
        return true;
    }

    /** A transaction of another database may have read from this one, on a connection that commits by itself. */
    private boolean isTransactional() {
        if (!(TransactionSynchronizationManager.getResource(database) instanceof ConnectionHolder)) {
            return false;
        }
        try { // the holder of a transaction that was suspended may have none until it is asked for
            Connection connection = DataSourceUtils.doGetConnection(database);
            try {
                return !connection.getAutoCommit();
            } finally {
                DataSourceUtils.doReleaseConnection(connection, database);
            }
        } catch (SQLException e) {
            throw new DataAccessResourceFailureException("The connection of the transaction can't be used", e);
        }
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
        table.add(rows, clock.millis());
        relays.ifAvailable(each -> each.check(table));
    }

    @Override
    public void committed() {
        relays.ifAvailable(OutboxRelays::wake);
    }
}
