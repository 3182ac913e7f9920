package dev.jobs.spring.autoconfigure.transactions;

import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.JobStoreException;
import dev.jobs.transactions.Transactions;
import dev.jobs.transactions.Transactions.Work;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Makes calls for reactive code, as a part of the reactive transaction that they are in. They block, so they have
 * threads of their own: a Redis that is silent must hold up nobody else's. Thread-safe.
 */
@Internal
public final class ReactiveTransactions implements AutoCloseable {

    private static final int THREADS = 32;
    private static final int WAITING_PER_THREAD = 1_000;
    private static final int IDLE_SECONDS = 10;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Null if jobs wait for no transaction. */
    private final @Nullable SpringTransactions transactions;

    private final boolean outbox;
    private final Scheduler calls = scheduler(WAITING_PER_THREAD, "jobs-client-reactive");

    /** Wait for Redis only while it answers. What is committed can't be refused, so none is. */
    private final Scheduler ends = scheduler(Integer.MAX_VALUE, "jobs-client-reactive-commit");

    /** @param outbox whether jobs of transactions are to be rows, which a reactive transaction can't have */
    public ReactiveTransactions(Transactions transactions, boolean outbox) {
        this.transactions = transactions instanceof SpringTransactions spring ? spring : null;
        this.outbox = outbox;
    }

    private static Scheduler scheduler(int waiting, String name) {
        return Schedulers.newBoundedElastic(THREADS, waiting, name, IDLE_SECONDS, true);
    }

    /** Makes a call; empty if it returns null. */
    public <T> Mono<T> call(Callable<? extends @Nullable T> call) {
        if (transactions == null) {
            return onThread(call);
        }
        SpringTransactions present = transactions;
        return TransactionSynchronizationManager.forCurrentTransaction()
                .filter(manager -> manager.isSynchronizationActive() && manager.isActualTransactionActive())
                .map(manager -> Optional.of(participation(manager)))
                .onErrorResume(NoTransactionException.class, none -> Mono.empty())
                .defaultIfEmpty(Optional.empty())
                .flatMap(found ->
                        onThread(found.isEmpty() ? call : () -> found.get().make(present, call)));
    }

    private <T> Mono<T> onThread(Callable<? extends @Nullable T> call) {
        return Mono.<T>fromCallable(call)
                .subscribeOn(calls)
                .onErrorMap(
                        RejectedExecutionException.class,
                        full -> new JobStoreException(
                                JobStoreException.Kind.TIMEOUT,
                                "Too many calls of reactive code wait for Redis",
                                full,
                                false));
    }

    private OfContext participation(TransactionSynchronizationManager manager) {
        OfContext present = (OfContext) manager.getResource(this);
        if (present == null) {
            present = new OfContext(manager);
            manager.registerSynchronization(present);
            manager.bindResource(this, present);
        }
        return present;
    }

    /** Lets the ends of transactions be told; calls are interrupted. */
    @Override
    public void close() {
        calls.dispose();
        ends.disposeGracefully().timeout(PATIENCE).onErrorComplete().block();
    }

    /** The part of jobs in a reactive transaction. Its calls may come side by side, and are made one by one. */
    private final class OfContext extends Participation implements TransactionSynchronization {

        private final TransactionSynchronizationManager manager;

        OfContext(TransactionSynchronizationManager manager) {
            this.manager = manager;
        }

        /** After the commit of the transaction, a call stores its jobs itself. */
        private synchronized <T> @Nullable T make(SpringTransactions present, Callable<? extends @Nullable T> call)
                throws Exception {
            return isOver() && !isLost() ? call.call() : present.<T>within(this, call);
        }

        /** @throws InvalidJobException if there is an outbox, or the transaction ended without a commit */
        @Override
        public <W extends Work> W work(Object owner, Supplier<W> created) {
            if (outbox) {
                throw new InvalidJobException(
                        "Jobs of a reactive transaction can't be kept in the outbox, which writes rows through JDBC. "
                                + "Enqueue them with now() after the transaction, in a transaction of JDBC, or set "
                                + "jobs.transactions to after-commit");
            }
            if (isLost()) {
                throw new InvalidJobException(
                        "The reactive transaction of this call was not committed, so its jobs are not enqueued");
            }
            return super.work(owner, created);
        }

        @Override
        public Mono<Void> suspend() {
            return Mono.fromRunnable(() -> manager.unbindResource(ReactiveTransactions.this));
        }

        @Override
        public Mono<Void> resume() {
            return Mono.fromRunnable(() -> manager.bindResource(ReactiveTransactions.this, this));
        }

        @Override
        public Mono<Void> afterCommit() {
            return end(STATUS_COMMITTED);
        }

        @Override
        public Mono<Void> afterCompletion(int status) {
            return Mono.fromRunnable(() -> manager.unbindResourceIfPossible(ReactiveTransactions.this))
                    .then(end(status));
        }

        private Mono<Void> end(int status) {
            return Mono.<Void>fromRunnable(() -> endNow(status)).subscribeOn(ends);
        }

        private synchronized void endNow(int status) {
            completed(status);
        }
    }
}
