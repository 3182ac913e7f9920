package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.engine.OnCall.Load;
import dev.jobs.leases.Incarnation;
import dev.jobs.redis.CallBounds;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.JobClaims.Status;
import dev.jobs.store.Settlement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * All jobs that Redis gave a capsule and that are not settled there: ready, running, or finished and waiting for an
 * exchange. Thread-safe, but the methods with which an exchange begins or ends need the fetcher's lock.
 */
@Internal
public final class HeldJobs {

    /** How long a claimed job may wait for a processor. */
    static final Duration START_WITHIN = Duration.ofMillis(50);

    private static final int NEVER_ENOUGH = Integer.MAX_VALUE;

    private final ThreadPool.Share share;
    private final IdleWait idleWait;
    private final RunContext context;

    private final Map<String, ClaimedJob> byToken = new ConcurrentHashMap<>();
    private final SettlementQueue settlements;

    /** Jobs that wait for leave to start, in the order in which they were claimed. */
    private final AskingJobs asking;

    private final AwaitedSettlements awaited;
    private final JobsAtStop atStop;

    // Of all jobs since the start.
    private final LongAdder begun = new LongAdder();
    private final LongAdder over = new LongAdder();
    private final LongAdder parked = new LongAdder();

    /**
     * With more ready jobs than this the next exchange can wait; unlimited while the queues give less than is asked
     * for.
     */
    private volatile int enough = NEVER_ENOUGH;

    /**
     * @param share the capsule's share of the threads, which take jobs from it
     * @param idleWait woken when the fetcher has a reason to go on
     */
    HeldJobs(ThreadPool.Share share, IdleWait idleWait, CallBounds bounds, RunContext context) {
        this.share = share;
        this.idleWait = idleWait;
        this.asking = new AskingJobs(share, bounds, idleWait::wake);
        this.settlements = new SettlementQueue(bounds);
        this.awaited = new AwaitedSettlements(context.environment().processorThreads(), context.guard());
        this.atStop = new JobsAtStop(this, settlements, idleWait, context.effects());
        this.context = context;
    }

    /** The capsule's share of the threads. */
    ThreadPool.Share share() {
        return share;
    }

    /** How many jobs may run at once, over all capsules that share the threads. */
    public int concurrency() {
        return share.concurrency();
    }

    public Collection<ClaimedJob> all() {
        return byToken.values();
    }

    boolean has(String token) {
        return byToken.containsKey(token) || atStop.isExiting(token);
    }

    boolean isEmpty() {
        return byToken.isEmpty();
    }

    /** How busy the capsule is. */
    Load load() {
        if (room(0) <= 0) {
            return Load.FULL;
        }
        return isEmpty() ? Load.FREE : Load.BUSY;
    }

    /** What the capsule has done. */
    CapsuleWork work(CapsuleConfig capsule) {
        long ended = over.sum(); // first: a job that ends in between counts as running, rather than not to have begun
        long started = begun.sum();
        return new CapsuleWork(capsule, started + parked.sum(), started - ended);
    }

    /** What becomes of the jobs when the capsule stops. */
    JobsAtStop atStop() {
        return atStop;
    }

    /** How many more jobs may be claimed, if so many are taken beyond the free threads. */
    int room(int ahead) {
        return share.room(settlements.refused(), ahead, context.nanos());
    }

    /**
     * The fetcher has nothing to ask for. If that is for lack of room, it is woken when there is some.
     *
     * @param watched whether a claim stands in Redis, which takes what comes
     * @param rung whether a queue changed
     * @return how long to wait at most
     */
    Duration awaitRoom(boolean watched, boolean rung) {
        return watched ? ThreadPool.NOTHING_TO_DO : share.awaitRoom(settlements.refused(), rung, context.nanos());
    }

    /** Takes a job that Redis gave: to run it, or to hand it back if it is no longer wanted. */
    void take(Claimed claimed, Incarnation incarnation, boolean wanted) {
        ClaimedJob job = new ClaimedJob(claimed, incarnation, context.nanos(), context.stopping()::get);
        boolean mayStart = context.gate().mayStart(job);
        if (byToken.putIfAbsent(job.token(), job) != null) {
            return; // known from the same answer, whose handling was cut short
        }
        if (wanted && !atStop.goBack()) { // looked at behind the map, so that either this or the stop finds it
            share.taken();
            if (mayStart) {
                start(job);
            } else {
                asking.add(job);
            }
        } else {
            handBackUnstarted(job);
        }
    }

    /** The jobs that wait for leave to start. */
    AskingJobs asking() {
        return asking;
    }

    /** A job that was about to run has to ask first. */
    void ask(ClaimedJob job) {
        asking.add(job);
        idleWait.wake();
    }

    /** The jobs that wait for leave to start, as gates see them. */
    JobGate.Waiting waiting() {
        return new JobsAtGate(this, settlements, idleWait, context);
    }

    /** A job may start now. */
    void start(ClaimedJob job) {
        if (job.isOurs()) {
            share.add(job);
        } else {
            share.left(); // handed back in the meantime
        }
    }

    /** Whether an exchange should not wait, because there is too little to do or much to settle. */
    boolean isDue() {
        return share.ready() <= enough || settlements.size() >= JobClaims.BATCH || awaited.isAny();
    }

    /**
     * An exchange that asked for jobs was answered.
     *
     * @param ahead how many jobs were taken beyond the free threads
     * @param filled whether the queues gave as many as were asked for
     */
    void brought(int ahead, boolean filled) {
        enough = filled ? ahead / 2 : NEVER_ENOUGH;
        share.hungry(filled, context.nanos());
    }

    /** Whether more settlements wait than an exchange carries. */
    boolean isBehind() {
        return settlements.size() > JobClaims.BATCH;
    }

    /** A processor has begun with a job, of whose end it {@linkplain #notified() notifies}. */
    void began() {
        begun.increment();
    }

    /** Redis took a job back, which waits there. */
    void parked() {
        parked.increment();
    }

    /** A processor is done with a job that this process still holds. */
    void settle(ClaimedJob job, Settlement settlement) {
        finish(job, settlement);
        if (isDue()) {
            idleWait.wake();
        }
    }

    private void finish(ClaimedJob job, Settlement settlement) {
        share.left();
        settlements.add(job, settlement);
    }

    /**
     * The same, for a processor that waits for the answer of Redis: true once the job is settled as intended, false if
     * this process no longer held it or the answer is unknown. The processor counts as waiting until
     * {@link #notified()}.
     */
    CompletableFuture<Boolean> settleAndAwait(ClaimedJob job, Settlement settlement) {
        CompletableFuture<Boolean> settled = awaited.begin(job.token());
        finish(job, settlement);
        if (!byToken.containsKey(job.token())) { // it was lost in between
            awaited.answer(job.token(), false);
        }
        idleWait.wake();
        return settled;
    }

    /** The settlements that processors wait for. */
    AwaitedSettlements awaited() {
        return awaited;
    }

    /** A processor is done with a job that was taken away while it ran. */
    void ranInVain() {
        share.left();
        idleWait.wake();
    }

    /** A processor can't run a job: hands it back, unless it was taken away already. */
    void cannotRun(ClaimedJob job) {
        share.left();
        handBackUnstarted(job);
        idleWait.wake();
    }

    /** A processor has notified listeners of a job's end, which it {@linkplain ThreadPool.Share#notifies began}. */
    void notified() {
        over.increment();
        awaited.ended();
        if (share.notified()) {
            idleWait.wake();
        }
    }

    /**
     * Hands back jobs that were taken ahead while threads became free quickly, and that now wait behind long jobs or
     * slow listeners.
     */
    void handBackWhatCannotStart() {
        ClaimedJob oldest = share.oldest();
        if (oldest != null) {
            share.startThreads();
        }
        if (oldest == null || !share.isCrowded() || context.nanos() - oldest.claimedNanos() < START_WITHIN.toNanos()) {
            return;
        }
        List<ClaimedJob> back = share.takeReady();
        if (back.isEmpty()) {
            return; // those that wait are of other capsules
        }
        share.gaveBack(context.nanos());
        for (ClaimedJob job : back) {
            share.left();
            handBackUnstarted(job);
        }
    }

    private void handBackUnstarted(ClaimedJob job) {
        if (job.handBack()) {
            settlements.add(job, context.effects().unstarted(job));
        }
    }

    /** Takes as many settlements as one exchange carries. */
    List<ClaimedJob> takeSettlements(Incarnation incarnation) {
        return settlements.take(incarnation, context.nanos());
    }

    /** Puts back settlements whose exchange was not made. */
    void putBack(List<ClaimedJob> batch) {
        batch.forEach(settlements::add); // dropped later if another incarnation has begun
    }

    /** Redis answered the exchange that settles these. Returns of how many jobs nothing is left. */
    int settled(List<ClaimedJob> batch, Reply reply) {
        if (reply.status() == Status.STALE) {
            return 0; // Redis did nothing, and their incarnation ends
        }
        int move = 0;
        int ended = 0;
        for (ClaimedJob job : batch) {
            Settlement settlement = job.settlement();
            int result =
                    settlement.isPlainAck() ? JobClaims.SETTLED : reply.moves().get(move++);
            if (result < 0) {
                settlements.refuse(job, context.nanos());
                awaited.answer(job.token(), false); // the key may stay broken for long
                context.brokenKeys().target(settlement);
                continue;
            }
            ended += settlement.isLast() ? 1 : 0;
            forget(job, result == JobClaims.SETTLED);
        }
        return ended;
    }

    /** All jobs run elsewhere. Returns how many there were. */
    int loseAll() {
        List<ClaimedJob> lost = List.copyOf(byToken.values());
        for (ClaimedJob job : lost) {
            job.lose();
            forget(job, false);
        }
        settlements.clear();
        asking.clear();
        return lost.size();
    }

    /** Redis no longer holds a job for this process. */
    void forget(ClaimedJob job, boolean settled) {
        settlements.forget(job.token());
        if (byToken.remove(job.token()) != null && context.suspectPermit().isSuspect(job.recoveries())) {
            context.suspectPermit().release();
        }
        awaited.answer(job.token(), settled);
    }
}
