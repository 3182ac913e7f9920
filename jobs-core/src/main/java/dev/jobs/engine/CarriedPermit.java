package dev.jobs.engine;

import dev.jobs.engine.ClaimLine.Exchange;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobClaims.Reply;
import org.jspecify.annotations.Nullable;

/**
 * The permit for a suspect, which an exchange carries so that Redis may answer with a suspect. If it doesn't, the permit
 * is free again afterwards; and from the first failed attempt on, since other engines of this process have a Redis of
 * their own. For the thread that holds the fetcher's lock.
 */
final class CarriedPermit {

    private final SuspectPermit permit;

    /** An exchange that gave back the permit while it waited for Redis. */
    private @Nullable Exchange without;

    CarriedPermit(SuspectPermit permit) {
        this.permit = permit;
    }

    /**
     * Returns how many suspects an exchange may bring.
     *
     * @param want jobs that it asks for
     */
    int take(int want) {
        return want > 0 && permit.tryAcquire() ? 1 : 0;
    }

    /** What to send of an exchange. */
    JobClaims.Request request(Exchange exchange) {
        return isCarriedBy(exchange) ? exchange.request() : exchange.request().withoutSuspects();
    }

    /** An exchange was answered. */
    void answered(Exchange exchange, Reply reply) {
        for (Claimed each : reply.claimed()) {
            if (permit.isSuspect(each.recoveries())) {
                return;
            }
        }
        giveBack(exchange);
    }

    /** An exchange failed, or is no longer wanted. */
    void giveBack(Exchange exchange) {
        if (isCarriedBy(exchange)) {
            without = exchange;
            permit.release();
        }
    }

    private boolean isCarriedBy(Exchange exchange) {
        return exchange.request().suspects() > 0 && !exchange.equals(without);
    }

    /**
     * Whether a job that an exchange brought may run, to be asked once: a suspect whose exchange no longer has the permit
     * may if it is the only one of the process.
     */
    boolean mayRun(Exchange exchange, Claimed job) {
        return !permit.isSuspect(job.recoveries()) || isCarriedBy(exchange) || permit.admit();
    }
}
