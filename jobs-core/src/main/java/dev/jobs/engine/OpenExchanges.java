package dev.jobs.engine;

import dev.jobs.engine.ClaimLine.Exchange;
import dev.jobs.engine.ClaimLine.Sent;
import dev.jobs.store.JobClaims.Reply;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The exchanges of a fetcher that Redis may have made and whose answers are not known: under way, at most two, or to
 * be repeated under their numbers. Needs the fetcher's lock.
 */
final class OpenExchanges {

    private final ClaimLine claimLine;
    private final Queue<Exchange> unanswered = new ArrayDeque<>();
    private final Queue<Sent> underWay = new ArrayDeque<>();

    OpenExchanges(ClaimLine claimLine) {
        this.claimLine = claimLine;
    }

    boolean isEmpty() {
        return underWay.isEmpty() && unanswered.isEmpty();
    }

    /** The answer of this one is lost, or was never expected. */
    void repeat(Exchange exchange) {
        unanswered.add(exchange);
    }

    boolean isAnyToRepeat() {
        return !unanswered.isEmpty();
    }

    /** Removes and returns the one to repeat first, or null. */
    @Nullable Exchange takeUnanswered() {
        return unanswered.poll();
    }

    /** The one that was sent first and whose answer was not awaited, or null. */
    @Nullable Exchange underWay() {
        Sent sent = underWay.peek();
        return sent == null ? null : sent.exchange();
    }

    /** Sends one without waiting for its answer, while at most one is under way. */
    void send(Exchange exchange) {
        Sent sent = null;
        try {
            sent = claimLine.send(exchange);
            underWay.add(sent);
        } finally {
            if (sent == null) {
                unanswered.add(exchange);
            }
        }
    }

    /** Waits for the answer of the one that was sent first. Returns null if it is lost; the exchange is repeated. */
    @Nullable Reply await() {
        Sent sent = underWay.remove();
        Reply reply = null;
        try {
            reply = claimLine.await(sent);
        } finally {
            if (reply == null) {
                unanswered.add(sent.exchange());
            }
        }
        return reply;
    }

    /**
     * Makes an exchange and waits for its answer. Returns null if it is no longer wanted.
     *
     * @param claiming whether the fetcher still claims jobs
     */
    @Nullable Reply carryOut(Exchange exchange, BooleanSupplier claiming) throws InterruptedException {
        boolean known = false;
        try {
            Reply reply = claimLine.carryOut(exchange, claiming);
            known = true;
            return reply;
        } finally {
            if (!known) {
                unanswered.add(exchange); // may have reached Redis
            }
        }
    }
}
