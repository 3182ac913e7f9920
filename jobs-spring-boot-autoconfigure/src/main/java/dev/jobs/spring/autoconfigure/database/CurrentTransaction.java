package dev.jobs.spring.autoconfigure.database;

import dev.jobs.Internal;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.jta.JtaTransactionObject;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Tells whether the calling thread's transaction is one of a database. That a connection is bound to the thread doesn't
 * say so: a transaction of another database may have read through it, or have begun within one of this database, which
 * stays bound meanwhile. So this hears each transaction manager that is a bean, and knows which connection a transaction
 * has begun with. Thread-safe.
 */
@Internal
public final class CurrentTransaction implements BeanPostProcessor, TransactionExecutionListener {

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof ConfigurableTransactionManager manager) {
            manager.addListener(this);
        }
        return bean;
    }

    /** Also called for a savepoint, which belongs to the transaction that has begun before. */
    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        if (failure == null
                && transaction instanceof DefaultTransactionStatus status
                && status.hasTransaction()
                && TransactionSynchronizationManager.isSynchronizationActive()
                && !TransactionSynchronizationManager.hasResource(this)) {
            Begun begun = new Begun(status.getTransaction());
            TransactionSynchronizationManager.registerSynchronization(begun);
            begun.resume();
        }
    }

    /**
     * Whether it is. Without having heard the transaction begin, and under JTA, it is taken for one of the database if
     * the connection of the thread doesn't commit each statement.
     *
     * @throws DataAccessResourceFailureException if that connection can't be asked
     */
    public boolean isOf(DataSource database) {
        if (!(TransactionSynchronizationManager.getResource(inTransactions(database))
                instanceof ConnectionHolder holder)) {
            return false;
        }
        Begun begun = (Begun) TransactionSynchronizationManager.getResource(this);
        if (begun == null || begun.transaction instanceof JtaTransactionObject) {
            return !commitsEachStatement(database);
        }
        return begun.transaction instanceof JdbcTransactionObjectSupport jdbc
                && jdbc.hasConnectionHolder()
                && jdbc.getConnectionHolder() == holder;
    }

    /** As which transaction managers know it. */
    private static DataSource inTransactions(DataSource database) {
        DataSource target =
                database instanceof TransactionAwareDataSourceProxy proxy ? proxy.getTargetDataSource() : null;
        return target == null ? database : target;
    }

    private static boolean commitsEachStatement(DataSource database) {
        try { // the holder of a transaction that was suspended may have none until it is asked for
            Connection connection = DataSourceUtils.doGetConnection(database);
            try {
                return connection.getAutoCommit();
            } finally {
                DataSourceUtils.doReleaseConnection(connection, database);
            }
        } catch (SQLException e) {
            throw new DataAccessResourceFailureException("The connection of the transaction can't be used", e);
        }
    }

    /** A transaction that this has heard begin, as its manager has it. Bound to the thread while it is the current one. */
    private final class Begun implements TransactionSynchronization {

        private final Object transaction;

        Begun(Object transaction) {
            this.transaction = transaction;
        }

        @Override
        public void suspend() {
            TransactionSynchronizationManager.unbindResource(CurrentTransaction.this);
        }

        @Override
        public void resume() {
            TransactionSynchronizationManager.bindResource(CurrentTransaction.this, this);
        }

        @Override
        public void afterCompletion(int status) {
            TransactionSynchronizationManager.unbindResourceIfPossible(CurrentTransaction.this);
        }
    }
}
