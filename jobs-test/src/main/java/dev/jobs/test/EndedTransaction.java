package dev.jobs.test;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A transaction that has ended and still has its connection on its thread, as while its callbacks are called. What begins
 * a transaction there would take part in it, and neither commit nor roll back anything.
 *
 * @param callbacks null if they are all called, or about to be
 */
record EndedTransaction(
        @Nullable List<TransactionSynchronization> callbacks,
        Map<Object, Object> resources,
        @Nullable String name,
        boolean readOnly,
        @Nullable Integer isolation) {

    /** Takes it off the current thread, as a transaction manager does before a transaction of another method. */
    static EndedTransaction suspend() {
        List<TransactionSynchronization> callbacks = null;
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            callbacks = TransactionSynchronizationManager.getSynchronizations();
            callbacks.forEach(TransactionSynchronization::suspend);
        }
        EndedTransaction suspended = new EndedTransaction(
                callbacks,
                Map.copyOf(TransactionSynchronizationManager.getResourceMap()),
                TransactionSynchronizationManager.getCurrentTransactionName(),
                TransactionSynchronizationManager.isCurrentTransactionReadOnly(),
                TransactionSynchronizationManager.getCurrentTransactionIsolationLevel());
        suspended.resources().keySet().forEach(TransactionSynchronizationManager::unbindResource);
        TransactionSynchronizationManager.clear();
        return suspended;
    }

    /** Gives the same thread what it had. */
    void resume() {
        TransactionSynchronizationManager.setActualTransactionActive(true);
        TransactionSynchronizationManager.setCurrentTransactionName(name);
        TransactionSynchronizationManager.setCurrentTransactionReadOnly(readOnly);
        TransactionSynchronizationManager.setCurrentTransactionIsolationLevel(isolation);
        resources.forEach(TransactionSynchronizationManager::bindResource);
        if (callbacks != null) {
            TransactionSynchronizationManager.initSynchronization();
            for (TransactionSynchronization each : callbacks) {
                each.resume();
                TransactionSynchronizationManager.registerSynchronization(each);
            }
        }
    }
}
