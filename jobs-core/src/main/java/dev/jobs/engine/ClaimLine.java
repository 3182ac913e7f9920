package dev.jobs.engine;

import dev.jobs.JobStoreException;
import dev.jobs.engine.SettlementQueue.Pending;
import dev.jobs.redis.JobClaims;
import dev.jobs.redis.JobClaims.Reply;
import dev.jobs.redis.JobClaims.Status;
import dev.jobs.redis.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls of one fetcher to Redis. Each has a number, and is made again under it until it is answered or nobody wants it any more. For
 * the fetcher's thread, except for {@link #abandon()}.
 */
final class ClaimLine {

    private static final Logger log = LoggerFactory.getLogger(ClaimLine.class);

    private static final Duration DENIED_PAUSE = Duration.ofSeconds(10);
    private static final Duration FIRST_BACKOFF = Duration.ofMillis(20);
    private static final Duration LONGEST_BACKOFF = Duration.ofMillis(500);
    private static final Duration TRIMMED_INTERVAL = Duration.ofMinutes(1);

    /**
     * One call of a fetcher to Redis, to be repeated until it is answered.
     *
     * @param line the fetcher's number in its process
     * @param number the call's own
     * @param want jobs at most
     * @param suspect whether one of them may be a suspect
     * @param from the queues, in the order in which to look at them
     * @param batch what to settle
     * @param ahead how many jobs may be taken beyond the free places
     * @param started when it was first sent, on the engine's own clock
     */
    record Exchange(
            Incarnation incarnation,
            int line,
            long number,
            int want,
            boolean suspect,
            List<String> from,
            List<Pending> batch,
            int ahead,
            long started) {

        JobClaims.Request request() {
            List<Settlement> settlements =
                    batch.stream().map(Pending::settlement).toList();
            return new JobClaims.Request(incarnation.id(), line, number, want, suspect ? 1 : 0, from, settlements);
        }

        /** The same call, wanting nothing: brings what it claimed, and if it wasn't made, it claims nothing when it comes. */
        Exchange withdrawn() {
            return new Exchange(incarnation, line, number, 0, false, List.of(), batch, 0, started);
        }

        /** Whether Redis gave all that was asked for, so that there may be more. */
        boolean isFilledBy(Reply reply) {
            return reply.claimed().size() == want;
        }
    }

    private final String caller;
    private final int line;
    private final QueueOrder order;
    private final JobClaims claims;
    private final RunContext context;

    private final CountDownLatch abandoned = new CountDownLatch(1);
    private long number;
    private long trimmed;
    private long nextTrimmedLine;

    /** @param line the fetcher's number in its process */
    ClaimLine(CapsuleConfig capsule, int line, JobClaims claims, RunContext context) {
        this.caller = "capsule " + capsule.name();
        this.line = line;
        this.order = new QueueOrder(capsule, context.environment().random());
        this.claims = claims;
        this.context = context;
        this.nextTrimmedLine = context.nanos();
    }

    /**
     * The next one.
     *
     * @param want jobs at most
     * @param ahead how many of them have no place yet
     */
    Exchange next(Incarnation incarnation, List<Pending> batch, int want, int ahead) {
        List<String> from = want > 0 ? order.next() : List.of();
        long now = context.nanos();
        number++;
        boolean suspect = want > 0 && context.suspectPermit().tryAcquire();
        return new Exchange(incarnation, line, number, want, suspect, from, batch, ahead, now);
    }

    /**
     * Makes it until its answer comes. Returns null if it is no longer wanted.
     *
     * @param claiming whether jobs are still to be claimed
     */
    @Nullable Reply carryOut(Exchange exchange, BooleanSupplier claiming) throws InterruptedException {
        Duration backoff = FIRST_BACKOFF;
        while (!exchange.incarnation().isLost()) {
            try {
                Reply reply = claims.exchange(exchange.request());
                context.outage().worked(caller);
                return reply;
            } catch (JobStoreException e) {
                context.outage().failed(caller, e);
                Duration pause = e.kind() == JobStoreException.Kind.DENIED ? DENIED_PAUSE : backoff;
                if (abandoned.await(pause.toMillis(), TimeUnit.MILLISECONDS)
                        || !claiming.getAsBoolean() && exchange.batch().isEmpty()) {
                    break;
                }
                backoff = backoff.multipliedBy(2);
                backoff = backoff.compareTo(LONGEST_BACKOFF) < 0 ? backoff : LONGEST_BACKOFF;
            }
        }
        if (exchange.suspect()) {
            context.suspectPermit().release();
        }
        return null;
    }

    /** Tells people what the answer says besides. */
    void report(Exchange exchange, Reply reply) {
        if (reply.status() == Status.FENCED) {
            context.lease().fenced(exchange.incarnation());
        } else if (reply.status() == Status.STALE) {
            context.lease().shared(exchange.incarnation());
        }
        reply.brokenQueues().forEach(context.brokenKeys()::queue);
        tellTrimmed(reply.trimmed());
        int late = reply.late();
        if (late > 0) {
            log.warn(
                    "{} jobs were settled too late: Redis held them no longer for {}. If they run elsewhere, they run twice",
                    late,
                    exchange.incarnation().id());
            context.hooks().tell(listener -> listener.settlementRefused(late));
        }
    }

    /** A dead set that is full loses one with each that comes: one line a minute tells of all. */
    private void tellTrimmed(int jobs) {
        trimmed += jobs;
        if (trimmed > 0 && context.nanos() - nextTrimmedLine >= 0) {
            log.info("{} jobs fell out of the dead set, which is full or keeps them no longer", trimmed);
            trimmed = 0;
            nextTrimmedLine = context.nanos() + TRIMMED_INTERVAL.toNanos();
        }
    }

    /** What Redis holds for this process under these tokens. Returns nothing when Redis is away. */
    List<JobClaims.Claimed> held(Incarnation incarnation, Set<String> tokens) {
        try {
            return claims.held(incarnation.id(), List.copyOf(tokens));
        } catch (JobStoreException e) {
            context.outage().failed(caller, e);
            return List.of();
        }
    }

    /** Makes none any more, and gives up the one that waits for Redis to come back. */
    void abandon() {
        abandoned.countDown();
    }

    /** Does nothing for a while, or until it is {@link #abandon abandoned}. */
    void pause(Duration duration) {
        try {
            abandoned.await(duration.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            // a short pause, then
        }
    }

    boolean isAbandoned() {
        return abandoned.getCount() == 0;
    }
}
