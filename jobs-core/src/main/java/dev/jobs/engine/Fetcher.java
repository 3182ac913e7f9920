package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.engine.ClaimLine.Exchange;
import dev.jobs.leases.InFlightJobs;
import dev.jobs.leases.Incarnation;
import dev.jobs.redis.CallBounds;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.threads.ThreadGuard;
import dev.jobs.threads.ThreadSnapshot;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settles the finished jobs of a capsule and claims new ones, as many as there is room for, on a thread of its own. It
 * makes one exchange with Redis after another; while there is much to claim, it sends the next before the last is
 * answered. Meanwhile further settlements accumulate, so an exchange carries many of them under load and one when idle.
 *
 * <p>While a queue gives as many jobs as are asked for, the fetcher takes more than there are free threads, and the
 * next exchange waits until half of these have started: the size of an exchange decides how many jobs a second are
 * possible. Jobs that can't start soon go back for others to take.
 */
@Internal
public final class Fetcher implements Runnable, AwaitingClaim.Owner {

    private static final Logger log = LoggerFactory.getLogger(Fetcher.class);

    /** Fewer jobs than this are not worth a second exchange while one is under way. */
    private static final int WORTH_OVERLAPPING = JobClaims.BATCH / 2;

    /** How long a finished job may wait for others to be settled with it while there is enough to do. */
    private static final Duration SETTLE_WITHIN = Duration.ofMillis(5);

    private static final Duration NOT_FRESH = Duration.ofMillis(100);

    /** A wait before the next step, without the lock. */
    @FunctionalInterface
    private interface Wait {
        Wait NONE = () -> {};

        void await() throws InterruptedException;
    }

    private final String name;
    private final String thread;
    private final Set<String> queues;
    private final RunContext context;
    private final CallBounds bounds;
    private final HeldJobs held;
    private final OnCall duty;
    private final IdleWait idleWait;
    private final ClaimLine claimLine;
    private final FetcherPauses pauses = new FetcherPauses();
    private final ExchangeReport report;
    private final AwaitingClaim standing;
    private final NotifiedFetcher notified;
    private final JobAdoption adoption;
    private final JobGate.Asks admission;

    private volatile boolean claiming = true;
    private volatile boolean ending;

    /** Held by the thread that changes the state: usually the fetcher's, for a moment one that receives an answer. */
    private final Semaphore lock = new Semaphore(1);

    /** What such a thread left to the fetcher's, since it must not wait. */
    private final Queue<Runnable> deferred = new ConcurrentLinkedQueue<>();

    // Guarded by the lock.
    private Incarnation incarnation;
    private long lastExchange;

    /** Whether the last exchange was filled, and carried so few bytes that two of them are small steps, too. */
    private boolean manySmall;

    /**
     * @param index its number among the fetchers of the process; it uses three lines from 3 × index, the last
     *     for standing claims
     * @param standing creates the claim that it leaves in Redis while it is idle
     * @param duty whether it is notified of jobs
     * @param idleWait also woken by the processors
     * @param held the jobs that the capsule holds
     */
    Fetcher(
            CapsuleConfig capsule,
            int index,
            RunContext context,
            JobClaims claims,
            AwaitingClaim.Factory standing,
            OnCall duty,
            IdleWait idleWait,
            HeldJobs held) {
        this.name = capsule.name();
        this.thread = "jobs-" + name + "-fetcher";
        int line = (ClaimLine.LINES + 1) * index;
        this.queues = Set.copyOf(capsule.queues());
        this.context = context;
        this.held = held;
        this.duty = duty;
        this.idleWait = idleWait;
        this.bounds = claims.bounds();
        this.incarnation = context.lease().current();
        this.claimLine = new ClaimLine(capsule, line, claims, pauses, context);
        this.report = new ExchangeReport(context);
        this.standing = standing.create(line + ClaimLine.LINES, this);
        this.notified = new NotifiedFetcher(queues, duty, this.standing, held, idleWait, context, () -> claiming);
        this.admission = context.gate().asks(capsule, held.waiting(), claims, context);
        this.adoption = new JobAdoption(line, held, this.standing, claims.over(InFlightJobs::new), context);
    }

    /** Ends claiming; settling goes on. */
    void quiet() {
        claiming = false;
        held.share().quiet();
        idleWait.wake();
    }

    /** What others that notify it of jobs see of it. */
    public NotifiedFetcher notified() {
        return notified;
    }

    /** The lease is fresh. */
    void mayClaim() {
        idleWait.wake();
    }

    /** Leaves a claim in Redis for the jobs that are pushed next. Returns whether it did. */
    private boolean stand() {
        int ahead = held.share().ahead(context.nanos());
        int room = room(ahead);
        return room > 0
                && !claimLine.isAnyOpen()
                && incarnation == context.lease().current()
                && duty.isOnCall()
                && standing.stand(incarnation, room, ahead);
    }

    @Override
    public void stood(Exchange exchange, Reply reply, boolean mayStandAgain) {
        take(exchange, reply);
        if (!reply.claimed().isEmpty()) {
            Thread.yield(); // the processor that was woken often waits for this core; the next claim has time
        }
        if (!mayStandAgain || !stand()) {
            idleWait.wake();
        }
    }

    @Override
    public void repeat(Exchange exchange) {
        claimLine.repeat(exchange);
        idleWait.wake();
    }

    @Override
    public void runOrDefer(Runnable work) {
        if (!lock.tryAcquire()) {
            deferred.add(work);
            idleWait.wake();
            return;
        }
        try {
            context.guard().run(thread, work);
        } finally {
            lock.release();
        }
    }

    @Override
    public void reliabilityChanged() {
        duty.ringsChanged();
    }

    /** Redis held these for the process at the last two beats, but no capsule knew them. Thread-safe. */
    void adopt(Collection<String> tokens) {
        adoption.report(tokens);
        idleWait.wake();
    }

    String threadName() {
        return thread;
    }

    /** Ends the thread once everything is settled. */
    void end() {
        ending = true;
        claiming = false;
        idleWait.wake();
    }

    /** Ends the thread even if Redis doesn't answer; others recover the jobs that are not settled. */
    void abandon() {
        end();
        pauses.abandon();
    }

    @Override
    public void run() {
        boolean ended = false;
        ThreadSnapshot own = context.guard().snapshot();
        while (!ended && !pauses.isAbandoned()) {
            try {
                report.tellNews();
                own.restore(); // from what a listener left; the engine never interrupts this thread
                ended = once();
                context.guard().worked(thread);
            } catch (InterruptedException e) {
                // never from the engine; an exchange that was begun is repeated
            } catch (Throwable e) {
                // An exchange that was begun is repeated under its number; jobs in Redis that are unknown here are
                // adopted.
                context.guard().failed(thread, e);
                pauses.pause(ThreadGuard.PAUSE);
            }
        }
    }

    /** Makes one step. Returns whether it was the last. */
    private boolean once() throws InterruptedException {
        Wait wait;
        lock.acquire();
        try {
            if (ending && held.isEmpty() && !claimLine.isAnyOpen() && !standing.isOut()) {
                return true;
            }
            wait = step();
        } finally {
            lock.release();
        }
        wait.await();
        return false;
    }

    private Wait step() throws InterruptedException {
        if (admission.isDue()) {
            held.share().ended(admission.ask(incarnation), context.nanos()); // their threads are free again at once
        }
        Exchange last = claimLine.underWay();
        if (last != null) {
            sendBehind(last);
            Reply reply = claimLine.await();
            if (reply != null) {
                conclude(last, reply);
            }
            return Wait.NONE;
        }
        followIncarnation();
        Runnable left;
        while ((left = deferred.poll()) != null) {
            left.run();
        }
        if (standing.isOut() && !claiming) {
            claimLine.repeat(standing.withdraw());
        }
        Exchange again = claimLine.takeUnanswered();
        if (again != null) {
            carryOut(again);
            return Wait.NONE;
        }
        adoption.adopt(incarnation, claiming);
        held.handBackWhatCannotStart();
        long now = context.nanos();
        Duration mayWait = SETTLE_WITHIN.minusNanos(now - lastExchange);
        if (!held.isDue() && mayWait.toNanos() > 0) {
            return () -> idleWait.await(mayWait);
        }
        List<ClaimedJob> batch = held.takeSettlements(incarnation);
        int ahead = held.share().ahead(now);
        boolean trusted = standing.isTrusted();
        boolean watched = trusted && !(idleWait.isRung() && queues.size() > 1);
        int successors = trusted ? context.gate().successors(batch) : 0;
        int most = watched ? successors : JobClaims.BATCH;
        int room = Math.max(0, Math.min(most, room(ahead)));
        if (batch.isEmpty() && room == 0) {
            notified.tellLoad();
            Duration atMost = incarnation.isFresh() ? held.awaitRoom(watched, idleWait.isRung()) : NOT_FRESH;
            return () -> idleWait.await(held.share().ready() > 0 ? HeldJobs.START_WITHIN : atMost);
        }
        if (room > 0) {
            idleWait.beforePoll();
        }
        // The claim that stands takes what comes to its queue. If another exchange brought anything else from there,
        // that job could get ahead of older ones that the claim has taken, and get what these wait for.
        Exchange next = next(batch, room, ahead, standing.watched(), successors > 0);
        if (manySmall && room > WORTH_OVERLAPPING) {
            claimLine.send(next);
            return Wait.NONE;
        }
        int claimed = carryOut(next);
        if (claimed != 0 || room == 0 || stand()) {
            return Wait.NONE;
        }
        Duration interval = notified.foundNothing();
        return () -> idleWait.awaitNextPoll(interval);
    }

    /**
     * Sends another exchange behind one whose answer has not been awaited, if there is much to claim: so Redis has work
     * while this process handles that answer.
     */
    private void sendBehind(Exchange last) {
        int ahead = held.share().ahead(context.nanos());
        int room = Math.min(room(ahead), held.room(ahead) - last.want());
        if (manySmall
                && room > WORTH_OVERLAPPING
                && !claimLine.isAnyToRepeat()
                && !standing.isOut()
                && !adoption.isDue()
                && incarnation == context.lease().current()) {
            claimLine.send(next(held.takeSettlements(incarnation), room, ahead, "", false));
        }
    }

    private Exchange next(List<ClaimedJob> batch, int room, int ahead, String watched, boolean successors) {
        try {
            int want = held.isBehind() ? Math.min(room, batch.size()) : room; // or settlements would pile up
            return claimLine.next(incarnation, batch, want, ahead, held, watched, successors);
        } catch (Throwable e) {
            held.putBack(batch);
            throw e;
        }
    }

    /** How many jobs an exchange may ask for. */
    private int room(int ahead) {
        return claiming && incarnation.isFresh() ? Math.min(JobClaims.BATCH, held.room(ahead)) : 0;
    }

    /** Returns how many jobs were claimed, or -1 if the exchange is no longer wanted. */
    private int carryOut(Exchange exchange) throws InterruptedException {
        Reply reply = claimLine.carryOut(exchange, () -> claiming);
        if (reply == null) {
            held.putBack(exchange.batch());
            return -1;
        }
        conclude(exchange, reply);
        return reply.claimed().size();
    }

    private void conclude(Exchange exchange, Reply reply) {
        long now = context.nanos();
        lastExchange = now;
        if (exchange.want() > 0) {
            manySmall = exchange.isFilledBy(reply) && exchange.bytes(reply) <= bounds.bytes() / 4;
        }
        held.share().ended(held.settled(exchange.batch(), reply), now);
        take(exchange, reply);
        if (reply.claimed().isEmpty() && exchange.want() > 0) {
            idleWait.foundNothing(exchange.batch().isEmpty());
        }
        report.answered(exchange, reply, now); // last, because the listeners that it calls may throw
    }

    private void take(Exchange exchange, Reply reply) {
        context.gate().answered(exchange.request().queues(), reply.shut());
        for (Claimed each : reply.claimed()) {
            boolean mayRun = held.has(each.token()) || claimLine.mayRun(exchange, each);
            held.take(each, incarnation, claiming && mayRun);
            standing.found(each.queue());
        }
        if (exchange.want() > 0) {
            held.brought(exchange.ahead(), exchange.isFilledBy(reply));
        }
        if (!reply.claimed().isEmpty()) {
            idleWait.found();
            if (!held.asking().isEmpty()) {
                idleWait.wake();
            }
            if (held.share().isAnyBusy()) {
                idleWait.wake(); // jobs that can't start soon go back
            }
        }
    }

    private void followIncarnation() {
        Incarnation current = context.lease().current();
        if (current == incarnation) {
            return;
        }
        if (standing.isOut()) {
            standing.withdraw(); // Redis claims nothing for an incarnation that was given up
        }
        int lost = held.loseAll();
        incarnation = current;
        if (lost > 0) {
            log.warn(
                    "Redis no longer holds the {} jobs of capsule {} for this process; those that still run have no effect on Redis",
                    lost,
                    name);
        }
    }
}
