package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.leases.Incarnation;
import dev.jobs.store.ClaimGate;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.Settlement;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A fetcher's numbered exchanges: calls to Redis that settle finished jobs and claim new ones. An exchange is repeated
 * under its number until it is answered or no longer wanted; until then it is open, since Redis may have made it. One
 * that is sent before the last is answered uses a second line. Needs the fetcher's lock.
 */
@Internal
public final class ClaimLine {

    /**
     * One call to Redis.
     *
     * @param batch the jobs that it settles
     * @param ahead how many jobs may be taken beyond the free threads
     * @param started when it was first sent, on the engine's own clock
     */
    public record Exchange(
            Incarnation incarnation, JobClaims.Request request, List<ClaimedJob> batch, int ahead, long started) {

        public int want() {
            return request.want();
        }

        /** The same call without wanting jobs: returns those that it claimed, or makes sure that it claims none. */
        public Exchange withdrawn() {
            return new Exchange(incarnation, request.withdrawn(), batch, 0, started);
        }

        /** The bytes of all jobs that it carried in either direction. */
        long bytes(Reply reply) {
            return request.size()
                    + reply.claimed().stream()
                            .mapToLong(job -> job.payload().length)
                            .sum();
        }

        /** Whether Redis gave as many jobs as were asked for, so that there may be more. */
        public boolean isFilledBy(Reply reply) {
            return reply.claimed().size() == want();
        }
    }

    /** An exchange that was sent, and what waits for its answer. */
    private record Sent(Exchange exchange, Supplier<Reply> answer) {}

    /** How many lines it has, and so how many exchanges may be under way at once. */
    static final int LINES = 2;

    private static final Logger log = LoggerFactory.getLogger(ClaimLine.class);

    private final String caller;
    private final int line;
    private final long[] numbers = new long[LINES];
    private final QueueOrder order;
    private final JobClaims claims;
    private final RunContext context;

    private final CarriedPermit permit;
    private final FetcherPauses pauses;

    /** Whose answers are lost, or were never expected. */
    private final Queue<Exchange> unanswered = new ArrayDeque<>();

    /** Whose answers were not awaited yet: at most {@value #LINES}. */
    private final Queue<Sent> underWay = new ArrayDeque<>();

    /**
     * @param line the number of its first line in the process
     * @param pauses those of its fetcher after failures
     */
    ClaimLine(CapsuleConfig capsule, int line, JobClaims claims, FetcherPauses pauses, RunContext context) {
        this.caller = "capsule " + capsule.name();
        this.line = line;
        this.order = new QueueOrder(capsule, context.environment().random());
        this.claims = claims;
        this.pauses = pauses;
        this.context = context;
        this.permit = new CarriedPermit(context.suspectPermit());
    }

    /**
     * Returns the next exchange.
     *
     * @param batch the jobs to settle
     * @param want jobs at most
     * @param ahead how many of them are beyond the free threads
     * @param held what the capsule holds
     * @param watched the queue at which a claim stands; empty if there is none
     * @param successors whether it claims jobs from there that settled ones let go on; otherwise it claims none
     */
    Exchange next(
            Incarnation incarnation,
            List<ClaimedJob> batch,
            int want,
            int ahead,
            HeldJobs held,
            String watched,
            boolean successors) {
        List<String> from = want == 0
                ? List.of()
                : order.next().stream()
                        .filter(queue -> successors || !queue.equals(watched))
                        .toList();
        Exchange before = underWay();
        ClaimGate gate = context.gate().claimGate(from, held, batch, before);
        if (successors && from.contains(watched)) {
            gate = gate.and(ClaimGate.onlySuccessors(watched));
        }
        List<Settlement> settlements =
                batch.stream().map(ClaimedJob::settlement).toList();
        long now = context.nanos();
        int free = before != null && before.request().line() == line ? 1 : 0;
        numbers[free]++;
        JobClaims.Request request = new JobClaims.Request(
                incarnation.id(),
                line + free,
                numbers[free],
                JobClaims.Request.newMark(context.environment().random(), now),
                want,
                permit.take(want),
                from,
                settlements,
                gate);
        return new Exchange(incarnation, request, batch, ahead, now);
    }

    /** Whether Redis may have made exchanges whose answers are not known. */
    boolean isAnyOpen() {
        return !underWay.isEmpty() || !unanswered.isEmpty();
    }

    /** The one that was sent first and whose answer was not awaited, or null. */
    @Nullable Exchange underWay() {
        Sent sent = underWay.peek();
        return sent == null ? null : sent.exchange();
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

    /** Sends one without waiting for its answer, while at most one is under way. */
    void send(Exchange exchange) {
        try {
            underWay.add(new Sent(exchange, claims.send(exchange.request())));
        } catch (Throwable e) {
            repeat(exchange);
            throw e;
        }
    }

    /** Waits for the answer of the one that was sent first. Returns null if it is lost; the exchange is repeated. */
    @Nullable Reply await() {
        Sent sent = underWay.remove();
        Reply reply = null;
        try {
            reply = answered(sent.exchange(), sent.answer().get());
        } catch (JobStoreException e) {
            log.debug("An exchange is repeated", e); // which reports an outage
            permit.giveBack(sent.exchange());
        } finally {
            if (reply == null) {
                repeat(sent.exchange());
            }
        }
        return reply;
    }

    /**
     * Repeats an exchange until it is answered. Returns null if it is no longer wanted.
     *
     * @param claiming whether the fetcher still claims jobs
     */
    @Nullable Reply carryOut(Exchange exchange, BooleanSupplier claiming) throws InterruptedException {
        try {
            return insist(exchange, claiming);
        } catch (Throwable e) {
            repeat(exchange); // may have reached Redis
            throw e;
        }
    }

    private @Nullable Reply insist(Exchange exchange, BooleanSupplier claiming) throws InterruptedException {
        for (int attempt = 0; !exchange.incarnation().isLost(); attempt++) {
            try {
                return answered(exchange, claims.exchange(permit.request(exchange)));
            } catch (JobStoreException e) {
                permit.giveBack(exchange);
                context.outage().failed(caller, e);
                if (!pauses.pause(e, attempt)
                        || !claiming.getAsBoolean() && exchange.batch().isEmpty()) {
                    break;
                }
            }
        }
        permit.giveBack(exchange);
        context.outage().worked(caller); // a quiet capsule with nothing to settle makes no exchange any more
        return null;
    }

    private Reply answered(Exchange exchange, Reply reply) {
        context.outage().worked(caller);
        permit.answered(exchange, reply);
        return reply;
    }

    /** Whether a job that an exchange brought may run, to be asked once. */
    boolean mayRun(Exchange exchange, Claimed job) {
        return permit.mayRun(exchange, job);
    }
}
