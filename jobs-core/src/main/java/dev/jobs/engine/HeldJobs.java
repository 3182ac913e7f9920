package dev.jobs.engine;

import dev.jobs.engine.SettlementQueue.Pending;
import dev.jobs.redis.JobClaims;
import dev.jobs.redis.JobClaims.Claimed;
import dev.jobs.redis.JobClaims.Reply;
import dev.jobs.redis.JobClaims.Status;
import dev.jobs.redis.JobSets.JobSet;
import dev.jobs.redis.OnCallRoster.Load;
import dev.jobs.redis.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Every job that Redis gave a capsule and that is not settled there: ready, running, or finished and waiting for an exchange. Thread-safe, but
 * what an exchange begins or ends with is for whoever has the fetcher's lock.
 */
final class HeldJobs {

    private static final Logger log = LoggerFactory.getLogger(HeldJobs.class);

    /** How long a claimed job may wait for a processor. */
    static final Duration START_WITHIN = Duration.ofMillis(50);

    private static final int NEVER_ENOUGH = Integer.MAX_VALUE;

    private final int concurrency;
    private final ReadyJobs ready;
    private final IdleWait idleWait;
    private final RunContext context;

    private final Map<String, ClaimedJob> byToken = new ConcurrentHashMap<>();
    private final SettlementQueue settlements = new SettlementQueue();

    /** Jobs that take a place: claimed, and not yet left by the thread that runs them. */
    private final AtomicInteger occupied = new AtomicInteger();

    /** Threads that left a job and tell listeners of its end. */
    private final AtomicInteger telling = new AtomicInteger();

    /** How many of those took so long that jobs had to go back: until they are through, their places are taken. */
    private volatile int slow;

    /** By token: what a processor waits for, as Redis says it. */
    private final Map<String, CompletableFuture<Boolean>> awaited = new ConcurrentHashMap<>();

    /** Processors that wait for a settlement or do what they waited for. */
    private final Set<Thread> hearing = ConcurrentHashMap.newKeySet();

    /** Whether nobody is to wait for a settlement any more. */
    private volatile boolean answerless;

    /** Finished jobs that Redis could not settle. They keep their places: else jobs would come in, and none ever leave. */
    private final Set<String> refused = ConcurrentHashMap.newKeySet();

    /** With more ready jobs than this the next exchange can wait; less than none while the queues give less than is asked for. */
    private volatile int enough = NEVER_ENOUGH;

    /**
     * @param concurrency how many can run at once
     * @param ready where processors take jobs from
     * @param idleWait is woken where the fetcher has a reason to go on
     */
    HeldJobs(int concurrency, ReadyJobs ready, IdleWait idleWait, RunContext context) {
        this.concurrency = concurrency;
        this.ready = ready;
        this.idleWait = idleWait;
        this.context = context;
    }

    Collection<ClaimedJob> all() {
        return byToken.values();
    }

    boolean has(String token) {
        return byToken.containsKey(token);
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

    /** Waits until there is none; returns at once if so. */
    boolean awaitEmpty(Duration patience) {
        return Threads.await(patience, byToken::isEmpty);
    }

    /** Waits until none runs or could be started: the others have ended, or wait for a lease that can't be renewed. */
    void awaitEnded(Duration patience) {
        Threads.await(patience, () -> byToken.values().stream().noneMatch(ClaimedJob::mayEndByItself));
    }

    /** How many are ready to run. */
    int ready() {
        return ready.size();
    }

    /** How many more there may be, if so many are taken ahead of their places. */
    int room(int ahead) {
        return concurrency + ahead - occupied.get() - refused.size() - slow;
    }

    /** Redis gave this one. It is run, or goes back if it isn't wanted any more. */
    void take(Claimed claimed, Incarnation incarnation, boolean wanted) {
        ClaimedJob job = new ClaimedJob(claimed, incarnation, context.nanos(), context.stopping()::get);
        if (byToken.putIfAbsent(job.token(), job) != null) {
            return; // an answer that was dealt with half
        }
        if (wanted) {
            occupied.incrementAndGet();
            ready.add(job);
        } else {
            handBackUnstarted(job);
        }
    }

    /** Whether there is too little to do, or so much to settle, that an exchange should not wait. */
    boolean isDue() {
        return ready.size() <= enough || settlements.size() >= JobClaims.BATCH || !awaited.isEmpty();
    }

    /**
     * An exchange that asked for jobs was answered.
     *
     * @param ahead how many of them were taken ahead of their places
     * @param filled whether the queues gave all that was asked for
     */
    void brought(int ahead, boolean filled) {
        enough = filled ? ahead / 2 : NEVER_ENOUGH;
    }

    /** A processor is done with a job that was still ours. */
    void settle(ClaimedJob job, Settlement settlement) {
        finish(job, settlement);
        if (isDue()) {
            idleWait.wake();
        }
    }

    private void finish(ClaimedJob job, Settlement settlement) {
        occupied.decrementAndGet();
        settlements.add(new Pending(job, settlement));
    }

    /**
     * The same, for a processor that waits for what Redis says: true once it is settled as it was to be, false if the job was no longer ours
     * or nobody knows. It hears until it {@linkplain #told() has told}.
     */
    CompletableFuture<Boolean> settleAndHear(ClaimedJob job, Settlement settlement) {
        CompletableFuture<Boolean> settled = new CompletableFuture<>();
        hearing.add(Thread.currentThread());
        awaited.put(job.token(), settled);
        finish(job, settlement);
        if (answerless || !byToken.containsKey(job.token())) { // it was lost meanwhile
            answer(job.token(), false);
        }
        idleWait.wake();
        return settled;
    }

    /** Whether a processor waits for a settlement or does what it waited for. */
    boolean isHearing(Thread processor) {
        return hearing.contains(processor);
    }

    /** Waits until none does. */
    void awaitDeathHandlers(Duration patience) {
        Threads.await(patience, hearing::isEmpty);
    }

    /** Lets go those that wait for a settlement: no answer came in time. */
    void releaseWaiting() {
        answerless = true;
        int unheard = 0;
        for (String token : List.copyOf(awaited.keySet())) {
            unheard += answer(token, false) ? 1 : 0;
        }
        if (unheard > 0) {
            log.warn(
                    "Redis didn't confirm in time that {} jobs died, so death handlers are not called for them",
                    unheard);
        }
    }

    /** Returns whether somebody waited for it. */
    private boolean answer(String token, boolean asItWasToBe) {
        CompletableFuture<Boolean> settled = awaited.remove(token);
        return settled != null && settled.complete(asItWasToBe);
    }

    /** A processor is done with a job that had been taken away meanwhile. */
    void release() {
        occupied.decrementAndGet();
        idleWait.wake();
    }

    /** A processor can't run a job, which goes back unless it was taken away already. */
    void giveBack(ClaimedJob job) {
        occupied.decrementAndGet();
        handBackUnstarted(job);
        idleWait.wake();
    }

    /** A thread is about to leave a job and to tell listeners of its end. */
    void tells() {
        telling.incrementAndGet();
    }

    /** It has told them. */
    void told() {
        if (!hearing.isEmpty()) { // only a death puts something there
            hearing.remove(Thread.currentThread());
        }
        if (telling.decrementAndGet() < slow) {
            idleWait.wake(); // jobs had to go back while it did
        }
    }

    /** Whether threads that are through with their jobs may yet have to be waited for. */
    boolean isTelling() {
        return telling.get() > 0;
    }

    /** Puts everything back as it was claimed and to be taken next. Returns what was taken from running threads. */
    List<ClaimedJob> handBack() {
        List<ClaimedJob> running = new ArrayList<>();
        for (ClaimedJob job : byToken.values()) {
            boolean executed = job.runner() != null;
            if (job.handBack()) {
                if (executed) {
                    running.add(job);
                }
                settlements.add(new Pending(job, Settlement.handedBack(job.token(), job.queue(), executed)));
            }
        }
        idleWait.wake();
        return running;
    }

    /**
     * Puts back jobs that were taken ahead when places became free quickly, and now stand behind some that take long, or behind listeners that
     * do.
     */
    void handBackWhatCannotStart() {
        int busy = telling.get();
        if (slow > busy) {
            slow = busy;
        }
        ClaimedJob oldest = ready.oldest();
        if (oldest == null
                || occupied.get() + busy <= concurrency
                || context.nanos() - oldest.claimedNanos() < START_WITHIN.toNanos()) {
            return;
        }
        slow = busy;
        for (ClaimedJob job : ready.takeAll()) {
            occupied.decrementAndGet();
            handBackUnstarted(job);
        }
    }

    private void handBackUnstarted(ClaimedJob job) {
        if (job.handBack()) {
            settlements.add(new Pending(job, Settlement.handedBack(job.token(), job.queue(), false)));
        }
    }

    /** Takes what one exchange can settle. */
    List<Pending> takeSettlements(Incarnation incarnation) {
        return settlements.take(incarnation, context.nanos());
    }

    /** The exchange that was to settle these was not made. */
    void putBack(List<Pending> batch) {
        batch.forEach(settlements::add); // thrown away if another life has begun
    }

    /** Redis answered the exchange that settles these. Returns how many simply ended. */
    int settled(List<Pending> batch, Reply reply) {
        if (reply.status() == Status.STALE) {
            return 0; // nothing was done, and the life that they belong to ends
        }
        int move = 0;
        int acks = 0;
        boolean known = reply.status() != Status.REPLAY; // the first answer said what was refused, and is lost
        for (Pending each : batch) {
            boolean isAck = each.settlement().isPlainAck();
            acks += isAck ? 1 : 0;
            int result = known && !isAck ? reply.moves().get(move++) : JobClaims.SETTLED;
            if (result < 0) {
                settlements.refuse(each, context.nanos());
                refused.add(each.job().token());
                answer(each.job().token(), false); // it may take long until somebody mends that
                blame(each.settlement());
                continue;
            }
            leave(each.job(), result == JobClaims.SETTLED);
        }
        return acks;
    }

    private void blame(Settlement settlement) {
        JobSet set = settlement.set();
        if (set == null) {
            context.brokenKeys().queue(settlement.where());
        } else {
            context.brokenKeys().set(set);
        }
    }

    /** All of them run elsewhere. Returns how many there were. */
    int loseAll() {
        List<ClaimedJob> lost = List.copyOf(byToken.values());
        for (ClaimedJob job : lost) {
            job.lose();
            leave(job, false);
        }
        settlements.clear();
        return lost.size();
    }

    private void leave(ClaimedJob job, boolean settled) {
        refused.remove(job.token());
        if (byToken.remove(job.token()) != null && context.suspectPermit().isSuspect(job.recoveries())) {
            context.suspectPermit().release();
        }
        answer(job.token(), settled);
    }
}
