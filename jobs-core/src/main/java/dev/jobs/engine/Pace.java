package dev.jobs.engine;

import dev.jobs.engine.ClaimLine.Exchange;
import dev.jobs.redis.CallLimits;
import dev.jobs.store.JobClaims.Reply;
import java.time.Duration;

/**
 * When a fetcher's next exchange is worthwhile, and how many jobs it takes ahead, by what the last ones brought.
 * Confined to one thread at a time.
 */
final class Pace {

    /** How long a finished job may wait for others to be settled with it while there is enough to do. */
    private static final Duration SETTLE_WITHIN = Duration.ofMillis(5);

    private final PlaceShare share;
    private final CallLimits limits;
    private long lastExchange;
    private boolean manySmall;

    /** @param share knows how many jobs ended lately, over all capsules that share the places */
    Pace(PlaceShare share, CallLimits limits) {
        this.share = share;
        this.limits = limits;
    }

    /** An exchange was answered. */
    void exchanged(Exchange exchange, Reply reply, long nanos) {
        lastExchange = nanos;
        if (exchange.want() > 0) {
            manySmall = exchange.isFilledBy(reply) && exchange.bytes(reply) <= limits.bytes() / 4;
        }
    }

    /** So many jobs have left their places. */
    void ended(int jobs, long nanos) {
        share.ended(jobs, nanos);
    }

    /** How many jobs to take beyond the free places. */
    int ahead(long nanos) {
        return share.ahead(nanos);
    }

    /** Whether the last exchange was filled, and carried so few bytes that two of them are small steps, too. */
    boolean isManySmall() {
        return manySmall;
    }

    /** How long settlements may wait for others; not positive if they need not. */
    Duration settleWithin(long nanos) {
        return SETTLE_WITHIN.minusNanos(nanos - lastExchange);
    }
}
