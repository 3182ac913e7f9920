package dev.jobs.transactions;

import dev.jobs.Internal;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The application's transactions. What a client stores for a thread in a transaction waits until the transaction has
 * committed, and is dropped if it is rolled back. Thread-safe.
 */
@FunctionalInterface
@Internal
public interface Transactions {

    /** No transactions: every call stores its jobs at once. */
    Transactions NONE = () -> null;

    /** The transaction of the calling thread; null if jobs have no transaction to wait for. */
    @Nullable Transaction current();

    /**
     * Whether the calling thread has a transaction that has ended, as while its callbacks are called. What runs there can
     * be no part of it.
     */
    default boolean isEnded() {
        return false;
    }

    /** One transaction, used by its own thread. */
    interface Transaction {

        /**
         * The work that this owner has left for the end of the transaction.
         *
         * @param created makes the work at the owner's first call in the transaction
         */
        <W extends Work> W work(Object owner, Supplier<W> created);

        /**
         * Whether its commit has begun and has not happened. Then {@link Work#committing} was called, and what is added
         * must do by itself what has to be part of the transaction.
         */
        default boolean isCommitting() {
            return false;
        }
    }

    /** Work that waits for the end of a transaction. */
    interface Work {

        /** A mark of what there is to do, to be undone down to later. */
        int mark();

        /**
         * The commit begins: does what has to be part of the transaction. What it throws rolls the transaction back.
         * Not called in every case: {@link #committed} does what was left.
         */
        default void committing() {}

        /** Drops what was added after the mark; 0 drops all. Throws nothing. */
        void rollBackTo(int mark);

        /** It is unknown whether the transaction has committed: drops all that is not a part of it. Throws nothing. */
        default void uncertain() {
            rollBackTo(0);
        }

        /** Does the work, after the commit. What fails is repeated in the background and logged; throws nothing. */
        void committed();
    }
}
