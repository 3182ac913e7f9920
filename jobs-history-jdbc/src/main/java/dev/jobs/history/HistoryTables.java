package dev.jobs.history;

import dev.jobs.spring.autoconfigure.beans.LateValue;
import dev.jobs.spring.autoconfigure.database.CurrentTransaction;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The tables of the history, and transactions on them. Reaches the database at its first use. Thread-safe. */
final class HistoryTables {

    /** Of SQL Server, for a table or a column; its SQL states are its own, so Spring doesn't know them. */
    private static final Set<Integer> UNKNOWN_NAME = Set.of(207, 208);

    private final DataSource database;

    /** To which transaction managers bind connections. */
    private final DataSource bound;

    private final Runnable beforeUse;
    private final JdbcTemplate jdbc;
    private final TransactionTemplate transactions;
    private final Supplier<Dialect> dialect;
    private final Supplier<TaskTable> tasks;
    private final Supplier<EventTable> events;

    HistoryTables(DataSource database) {
        this(database, () -> {});
    }

    /** @param beforeUse run before each use of the tables */
    HistoryTables(DataSource database, Runnable beforeUse) {
        this.database = database;
        this.beforeUse = beforeUse;
        this.jdbc = new JdbcTemplate(database);
        JdbcTransactionManager manager = new JdbcTransactionManager(database);
        this.bound = Objects.requireNonNull(manager.getDataSource());
        this.transactions = new TransactionTemplate(manager);
        transactions.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        transactions.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        this.dialect = new LateValue<>(() -> Dialect.of(database));
        this.tasks = new LateValue<>(() -> new TaskTable(jdbc, dialect.get()));
        this.events = new LateValue<>(() -> new EventTable(jdbc, dialect.get()));
    }

    /** Whether a transaction is one of their database. */
    boolean areIn(CurrentTransaction transaction) {
        return transaction.isOf(database);
    }

    JdbcTemplate jdbc() {
        return jdbc;
    }

    Dialect dialect() {
        return dialect.get();
    }

    TaskTable tasks() {
        return tasks.get();
    }

    EventTable events() {
        return events.get();
    }

    /** Runs work in a transaction of its own. */
    void inTransaction(Runnable work) {
        fromTransaction(() -> {
            work.run();
            return true;
        });
    }

    /** Says what to do about an error that means in practice that the tables are missing. */
    private static DataAccessException explained(DataAccessException e) {
        if (e instanceof UncategorizedSQLException other
                && (other.getSQLException() == null
                        || !UNKNOWN_NAME.contains(other.getSQLException().getErrorCode()))) {
            return e;
        }
        return new InvalidDataAccessResourceUsageException(
                "The tables of the history are missing or of another version. Apply the script in dev/jobs/history of"
                        + " dev.jobs:jobs-history-jdbc to the database, or let them be created with"
                        + " jobs.history.initialize-schema=always",
                e);
    }

    /** Runs work on the tables in the calling thread's transaction, if there is one, and returns its result. */
    <T> T fromTables(Supplier<T> work) {
        beforeUse.run();
        try {
            return work.get();
        } catch (BadSqlGrammarException | UncategorizedSQLException e) {
            throw explained(e);
        }
    }

    /** Runs work in a transaction of its own, and returns its result. */
    <T> T fromTransaction(Supplier<T> work) {
        beforeUse.run();
        Object shared = ofJpa();
        if (shared != null) {
            TransactionSynchronizationManager.unbindResource(bound);
        }
        try {
            return Objects.requireNonNull(transactions.execute(status -> work.get()));
        } catch (BadSqlGrammarException | UncategorizedSQLException e) {
            throw explained(e);
        } finally {
            if (shared != null) {
                TransactionSynchronizationManager.bindResource(bound, shared);
            }
        }
    }

    /**
     * What JPA shares its connection in, if the calling thread has that: it is no transaction to others, who would commit
     * what is in it. Any other holder is synchronized: Spring suspends it by itself, and fails if it is missing.
     */
    private @Nullable Object ofJpa() {
        return TransactionSynchronizationManager.getResource(bound) instanceof ConnectionHolder holder
                        && !holder.isSynchronizedWithTransaction()
                ? holder
                : null;
    }
}
