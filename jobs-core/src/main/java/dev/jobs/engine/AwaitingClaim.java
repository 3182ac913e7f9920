package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.engine.ClaimLine.Exchange;
import dev.jobs.leases.Incarnation;
import dev.jobs.store.JobClaims.Reply;

/**
 * The claim that an idle fetcher leaves in Redis, to be answered once a job arrives in one of its queues. For the thread
 * that holds the fetcher's lock, except for the methods that say otherwise.
 */
@Internal
public interface AwaitingClaim {

    /** The fetcher that uses the answers. All calls but one come from the thread that holds its lock. */
    interface Owner {

        /**
         * Takes the jobs that the claim brought.
         *
         * @param mayStandAgain whether the next claim may follow at once
         */
        void stood(Exchange exchange, Reply reply, boolean mayStandAgain);

        /** Repeats an exchange under its number, on a thread that may wait and log. */
        void repeat(Exchange exchange);

        /**
         * Runs work on this thread if the lock is free, and otherwise lets the fetcher's thread do it. For a thread that
         * receives an answer: it never waits.
         */
        void runOrDefer(Runnable work);

        /** {@link #isReliable()} changed. */
        void reliabilityChanged();
    }

    /** Creates the claim of a fetcher. */
    @FunctionalInterface
    interface Factory {

        /** @param line the number of its line, used by no other part of the process */
        AwaitingClaim create(int line, Owner owner);
    }

    /** The queue at which it stands; empty if there is none. Thread-safe. */
    String queue();

    /** Whether pushes to its queue need no notification. Thread-safe. */
    boolean isReliable();

    /** Whether it notices a push to the given queue. Thread-safe. */
    boolean watches(String pushed);

    /** The queue whose pushes it notices; empty if no claim is out, or its answer is overdue. Thread-safe. */
    String watched();

    /** Whether a claim is out whose answer isn't overdue. Thread-safe. */
    boolean isTrusted();

    /** Whether a claim is out that was neither answered nor withdrawn. Thread-safe. */
    boolean isOut();

    /**
     * Opens its connection if it is closed and a claim would be of use. Returns whether it opened it. Waits for it;
     * thread-safe.
     */
    boolean connect();

    /**
     * Leaves a claim in Redis for the jobs that are pushed next, unless one is out or it would be of no use.
     *
     * @param want jobs at most; none of them is a suspect, for which others would have to wait
     * @param ahead how many of them are beyond the free threads
     * @return whether it did
     */
    boolean stand(Incarnation incarnation, int want, int ahead);

    /** An exchange brought a job from this queue. */
    void found(String where);

    /** Whether the job with this token may belong to the claim that is out, so that the process can't know it yet. */
    boolean mayBring(String token);

    /**
     * Gives up the claim that is out.
     *
     * @return the exchange that returns the jobs it claimed, or makes sure that it claims none if Redis hasn't received
     *     it yet
     */
    Exchange withdraw();
}
