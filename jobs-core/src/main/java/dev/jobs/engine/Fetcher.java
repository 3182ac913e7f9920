package dev.jobs.engine;

import dev.jobs.engine.ClaimLine.Exchange;
import dev.jobs.engine.SettlementQueue.Pending;
import dev.jobs.redis.JobClaims;
import dev.jobs.redis.JobClaims.Claimed;
import dev.jobs.redis.JobClaims.Reply;
import dev.jobs.redis.JobClaims.Status;
import dev.jobs.redis.JobClaims.Stood;
import dev.jobs.redis.OnCallRoster.Load;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A capsule's only line to Redis: one thread that settles what is finished and claims what there is room for, one exchange after the other.
 * While one is under way the next settlements gather, so batches grow under load and are a single job when idle.
 *
 * <p>As long as a queue gives as much as is asked for, jobs are taken ahead of the places for them, and an exchange waits until half of
 * those are used up: its size decides how many jobs a second there can be. What can't start soon goes back for others to take.
 */
final class Fetcher implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(Fetcher.class);

    /** How long to wait for a reason to go on when there is nothing to do; what gives one also wakes. */
    private static final Duration NOTHING_TO_DO = Duration.ofSeconds(1);

    /** How long the end of a job may wait for others while there is enough to do. */
    private static final Duration SETTLE_WITHIN = Duration.ofMillis(5);

    private static final Duration NOT_FRESH = Duration.ofMillis(100);

    /** What to do before the next step; the lock is free meanwhile. */
    @FunctionalInterface
    private interface Wait {
        Wait NONE = () -> {};

        void await() throws InterruptedException;
    }

    private final String name;
    private final String thread;
    private final String tokens;
    private final String standingTokens;
    private final Set<String> queues;
    private final RunContext context;
    private final HeldJobs held;
    private final ClaimLine claimLine;
    private final StandingClaim standing;
    private final OnCallDuty duty;
    private final IdleWait idleWait;
    private final Queue<String> unheardOf = new ConcurrentLinkedQueue<>();

    /** What listeners have yet to hear, outside the lock: they may take their time. Confined to the fetcher's thread. */
    private final Queue<Runnable> news = new ArrayDeque<>();

    private volatile boolean claiming = true;
    private volatile boolean ending;

    private final FetcherLock lock;

    // Guarded by the lock.
    private Incarnation incarnation;
    private final Queue<Exchange> unanswered = new ArrayDeque<>();
    private final ReadAhead readAhead;
    private long lastExchange;

    /**
     * @param index its number among the fetchers of the process; it has two lines, 2 × index and the next
     * @param standingClaims over a connection that nothing else uses
     * @param idleWait is also woken by the processors
     * @param held what the capsule holds
     */
    Fetcher(
            CapsuleConfig capsule,
            int index,
            RunContext context,
            JobClaims claims,
            JobClaims standingClaims,
            OnCallDuty duty,
            IdleWait idleWait,
            HeldJobs held) {
        this.name = capsule.name();
        this.thread = "jobs-" + name + "-fetcher";
        int line = 2 * index;
        this.tokens = line + ":";
        this.standingTokens = line + 1 + ":";
        this.queues = Set.copyOf(capsule.queues());
        this.context = context;
        this.held = held;
        this.claimLine = new ClaimLine(capsule, line, claims, context);
        this.standing = new StandingClaim(capsule, line + 1, standingClaims, context);
        this.duty = duty;
        this.idleWait = idleWait;
        this.readAhead = new ReadAhead(context.nanos());
        this.lock = new FetcherLock(context.guard(), thread);
        this.incarnation = context.lease().current();
    }

    /** JobClaims no more; settling goes on. */
    void quiet() {
        claiming = false;
        idleWait.wake();
    }

    /** The queues whose changes it has to be told of: all but the one at which claims stand. Thread-safe. */
    Set<String> queuesToRingFor() {
        if (!claiming || !duty.isListening()) {
            return Set.of();
        }
        Set<String> names = new HashSet<>(queues);
        if (standing.isReliable()) {
            names.remove(standing.queue());
        }
        return names;
    }

    /** What it has to do. Thread-safe. */
    Load load() {
        if (!claiming) {
            return Load.GONE;
        }
        if (held.room(0) <= 0) {
            return Load.FULL;
        }
        return held.isEmpty() ? Load.FREE : Load.BUSY;
    }

    /** It is on call from now on. */
    void called() {
        idleWait.wake();
    }

    /** Opens the connection on which claims stand, if there is none and it would be of use. Waits for it; thread-safe. */
    void connect() {
        if (claiming && mayStand() && !standing.isConnected() && standing.connect()) {
            idleWait.wake();
        }
    }

    private boolean mayStand() {
        return duty.isOnCall() && standing.isOfUse();
    }

    /** A queue changed. */
    void rang(String queue) {
        if (queues.contains(queue) && !standing.watches(queue)) {
            idleWait.ring();
        }
    }

    private static boolean isPlain(Reply reply) {
        return reply.status() == Status.OK && reply.brokenQueues().isEmpty();
    }

    /** Under its number, by a thread that may wait and log. */
    private void askAgain(Exchange exchange) {
        unanswered.add(exchange);
        idleWait.wake();
    }

    /** Leaves a claim in Redis for what is pushed next. Returns whether there is one now. */
    private boolean stand() {
        int ahead = readAhead.jobs(context.nanos());
        int room = room(ahead);
        if (room <= 0
                || standing.isOut()
                || !unanswered.isEmpty()
                || incarnation != context.lease().current()
                || !mayStand()
                || !standing.isConnected()) {
            return false;
        }
        standing.send(incarnation, room, ahead, this::stood);
        return true;
    }

    /** Takes the jobs on the connection's thread if the lock is free: waking the fetcher's thread costs about as much as Redis does. */
    private void stood(Exchange exchange, @Nullable Stood stood) {
        if (!lock.runOrDefer(() -> take(exchange, stood))) {
            idleWait.wake();
        }
    }

    private void take(Exchange exchange, @Nullable Stood stood) {
        boolean proven = standing.isProven();
        if (!standing.ended(exchange, stood)) {
            return;
        }
        if (standing.isProven() != proven) {
            duty.ringsChanged();
        }
        if (stood == null) {
            askAgain(exchange.withdrawn()); // it may be on its way yet, and nobody would hear of what it claims
            return;
        }
        if (!isPlain(stood.reply())) {
            askAgain(exchange);
            return;
        }
        take(exchange, stood.reply());
        boolean inVain = stood.reply().claimed().isEmpty();
        if (exchange.isFilledBy(stood.reply()) || inVain && !standing.renewsItself() || !stand()) {
            idleWait.wake();
        }
    }

    /** Redis says that we hold these, and nobody here knew of them at the last two beats. */
    void adopt(Collection<String> tokens) {
        tokens.stream()
                .filter(token -> token.startsWith(this.tokens) || token.startsWith(standingTokens))
                .forEach(unheardOf::add);
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

    /** Ends the thread even if Redis doesn't answer; what is not settled is recovered by others. */
    void abandon() {
        end();
        claimLine.abandon();
    }

    @Override
    public void run() {
        boolean ended = false;
        while (!ended && !claimLine.isAbandoned()) {
            try {
                tellNews();
                Thread.interrupted(); // a listener can have done it; nobody ends this thread that way
                ended = once();
                context.guard().worked(thread);
            } catch (InterruptedException e) {
                // nobody ends this thread that way; an exchange that was begun is repeated
            } catch (Throwable e) {
                // What was begun is repeated under its number, and what Redis holds beyond what is known here is
                // adopted.
                context.guard().failed(thread, e);
                claimLine.pause(ThreadGuard.PAUSE);
            }
        }
    }

    /** Makes one step. Returns whether it was the last. */
    private boolean once() throws InterruptedException {
        Wait wait;
        lock.lock();
        try {
            if (ending && held.isEmpty() && unanswered.isEmpty() && !standing.isOut()) {
                return true;
            }
            wait = step();
        } finally {
            lock.unlock();
        }
        wait.await();
        return false;
    }

    private Wait step() throws InterruptedException {
        followIncarnation();
        lock.runDeferred();
        if (standing.isOut() && !claiming) {
            unanswered.add(standing.withdraw());
        }
        Exchange again = unanswered.poll();
        if (again != null) {
            carryOut(again);
            return Wait.NONE;
        }
        adoptUnheardOf();
        held.handBackWhatCannotStart();
        long now = context.nanos();
        if (!held.isDue() && now - lastExchange < SETTLE_WITHIN.toNanos()) {
            return () -> idleWait.await(SETTLE_WITHIN.minusNanos(now - lastExchange));
        }
        List<Pending> batch = held.takeSettlements(incarnation);
        int ahead = readAhead.jobs(now);
        int room = standing.isTrusted() && !idleWait.isRung() ? 0 : Math.max(0, room(ahead));
        if (batch.isEmpty() && room == 0) {
            duty.loaded(load());
            Duration atMost = incarnation.isFresh() ? NOTHING_TO_DO : NOT_FRESH;
            return () -> idleWait.await(held.ready() > 0 ? HeldJobs.START_WITHIN : atMost);
        }
        if (room > 0) {
            idleWait.beforeLook();
        }
        int claimed = carryOut(next(batch, room, ahead));
        if (claimed != 0 || room == 0 || stand()) {
            return Wait.NONE;
        }
        duty.loaded(load());
        if (!duty.isOnCall()) {
            Duration interval = duty.pollInterval();
            return () -> idleWait.awaitReason(interval);
        }
        if (!standing.isOut() && context.hearsRings().get() && !duty.ringsFor(standing.queue())) {
            duty.ringsChanged();
        }
        return () -> idleWait.awaitReason(null);
    }

    private Exchange next(List<Pending> batch, int room, int ahead) {
        Exchange next = null;
        try {
            next = claimLine.next(incarnation, batch, room, ahead);
            return next;
        } finally {
            if (next == null) {
                held.putBack(batch);
            }
        }
    }

    /** How many jobs an exchange may ask for. */
    private int room(int ahead) {
        return claiming && incarnation.isFresh() ? Math.min(JobClaims.BATCH, held.room(ahead)) : 0;
    }

    /** Returns how many jobs were claimed, or -1 if the exchange is no longer wanted. */
    private int carryOut(Exchange exchange) throws InterruptedException {
        Reply reply;
        boolean known = false;
        try {
            reply = claimLine.carryOut(exchange, () -> claiming);
            known = true;
        } finally {
            if (!known) {
                unanswered.add(exchange); // Redis may have carried it out
            }
        }
        if (reply == null) {
            held.putBack(exchange.batch());
            return -1;
        }
        conclude(exchange, reply);
        return reply.claimed().size();
    }

    private void conclude(Exchange exchange, Reply reply) {
        lastExchange = context.nanos();
        Duration took = Duration.ofNanos(lastExchange - exchange.started());
        int settled = exchange.batch().size();
        int claimed = reply.claimed().size();
        news.add(() -> context.hooks().tell(listener -> listener.exchanged(settled, claimed, took)));
        readAhead.ended(held.settled(exchange.batch(), reply), lastExchange);
        take(exchange, reply);
        if (claimed == 0 && exchange.want() > 0) {
            idleWait.foundNothing(settled == 0);
        }
        claimLine.report(exchange, reply); // last: what it calls may throw
    }

    private void take(Exchange exchange, Reply reply) {
        boolean keep = false;
        for (Claimed each : reply.claimed()) {
            keep |= exchange.suspect() && context.suspectPermit().isSuspect(each.recoveries());
            held.take(each, incarnation, claiming);
            standing.found(each.queue());
        }
        if (exchange.suspect() && !keep) {
            context.suspectPermit().release();
        }
        if (exchange.want() > 0) {
            held.brought(exchange.ahead(), exchange.isFilledBy(reply));
        }
        if (!reply.claimed().isEmpty()) {
            idleWait.found();
            if (held.isTelling()) {
                idleWait.wake(); // what can't start soon goes back
            }
        }
    }

    private void tellNews() {
        Runnable next;
        while ((next = news.poll()) != null) {
            next.run();
        }
    }

    /** After a lost reply, or a failover to a replica that had not heard of a settlement: Redis decides what we hold. */
    private void adoptUnheardOf() {
        Set<String> tokens = new HashSet<>(); // while an exchange takes its time, each beat tells of the same ones
        String token;
        while ((token = unheardOf.poll()) != null) {
            if (!held.has(token) && !standing.mayBring(token)) {
                tokens.add(token);
            }
        }
        if (tokens.isEmpty()) {
            return;
        }
        List<Claimed> found = claimLine.held(incarnation, tokens); // if Redis is away, the next beats find them again
        if (!found.isEmpty()) {
            log.warn(
                    "Redis holds {} jobs for {} that it didn't know of; they are run now",
                    found.size(),
                    incarnation.id());
            for (Claimed each : found) {
                boolean mayRun = !context.suspectPermit().isSuspect(each.recoveries())
                        || context.suspectPermit().admit();
                held.take(each, incarnation, claiming && mayRun);
            }
        }
    }

    private void followIncarnation() {
        Incarnation current = context.lease().current();
        if (current == incarnation) {
            return;
        }
        if (standing.isOut()) {
            standing.withdraw(); // claims nothing for a life that was given up
        }
        int lost = held.loseAll();
        incarnation = current;
        if (lost > 0) {
            log.warn(
                    "Redis no longer holds the {} jobs of capsule {} for this process; what still runs here counts for nothing",
                    lost,
                    name);
        }
    }
}
