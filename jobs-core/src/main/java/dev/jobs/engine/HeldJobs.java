package dev.jobs.engine;

import dev.jobs.redis.Claims;
import dev.jobs.redis.Claims.Claimed;
import dev.jobs.redis.Claims.Reply;
import dev.jobs.redis.Claims.Status;
import dev.jobs.redis.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Every job that Redis gave a capsule and that is not settled there: ready, running, or finished and waiting for an exchange. Thread-safe, but
 * what an exchange begins or ends with is for whoever has the fetcher's turn.
 */
final class HeldJobs {

    private static final Logger log = LoggerFactory.getLogger(HeldJobs.class);

    /** How long a claimed job may wait for a processor. */
    static final Duration START_WITHIN = Duration.ofMillis(50);

    private final int concurrency;
    private final ReadyJobs ready;
    private final Shared shared;

    private final Map<String, ClaimedJob> byToken = new ConcurrentHashMap<>();
    private final Unsettled unsettled = new Unsettled();

    /** Jobs that take a place: claimed, and not yet left by the thread that runs them. */
    private final AtomicInteger occupied = new AtomicInteger();

    /** @param concurrency how many can run at once */
    HeldJobs(int concurrency, ReadyJobs ready, Shared shared) {
        this.concurrency = concurrency;
        this.ready = ready;
        this.shared = shared;
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

    /** Waits until there is none; returns at once if so. */
    boolean awaitEmpty(Duration patience) {
        return Threads.await(this, patience, byToken::isEmpty);
    }

    /** How many are ready to run. */
    int ready() {
        return ready.size();
    }

    /** How many are finished, not counting those that Redis refused to settle. */
    int finished() {
        return unsettled.size();
    }

    /** Whether Redis is to be told of none. */
    boolean allSettled() {
        return unsettled.isEmpty();
    }

    /** How many more there may be, if so many are taken ahead of their places. */
    int room(int ahead) {
        return concurrency + ahead - occupied.get();
    }

    /** Redis gave this one. It is run, or goes back if it isn't wanted any more. */
    void take(Claimed claimed, Incarnation incarnation, boolean wanted) {
        ClaimedJob job = new ClaimedJob(claimed, incarnation, shared.nanos(), shared.stopping()::get);
        byToken.put(job.token(), job);
        if (wanted) {
            occupied.incrementAndGet();
            ready.add(job);
        } else {
            handBackUnstarted(job);
        }
    }

    /** A processor is done with a job that was still ours. */
    void finish(ClaimedJob job, Settlement settlement) {
        occupied.decrementAndGet();
        unsettled.add(new Finished(job, settlement));
    }

    /** A processor is done with a job that had been taken away meanwhile. */
    void release() {
        occupied.decrementAndGet();
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
                unsettled.add(new Finished(job, Settlement.back(job.token(), job.queue(), executed)));
            }
        }
        return running;
    }

    /** Puts back jobs that were taken ahead when places became free quickly, and now stand behind some that take long. */
    void handBackWhatCannotStart() {
        ClaimedJob oldest = ready.oldest();
        if (oldest == null
                || occupied.get() <= concurrency
                || shared.nanos() - oldest.claimedNanos() < START_WITHIN.toNanos()) {
            return;
        }
        for (ClaimedJob job : ready.takeAll()) {
            occupied.decrementAndGet();
            handBackUnstarted(job);
        }
    }

    private void handBackUnstarted(ClaimedJob job) {
        if (job.handBack()) {
            unsettled.add(new Finished(job, Settlement.back(job.token(), job.queue(), false)));
        }
    }

    /** Takes what one exchange can settle. */
    List<Finished> takeFinished(Incarnation incarnation) {
        return unsettled.take(incarnation, shared.nanos());
    }

    /** The exchange that was to settle these was not made. */
    void untake(List<Finished> batch) {
        batch.forEach(unsettled::add); // thrown away if another life has begun
    }

    /** Redis answered the exchange that settles these. Returns how many simply ended. */
    int settled(List<Finished> batch, Reply reply) {
        if (reply.status() == Status.STALE) {
            return 0; // nothing was done, and the life that they belong to ends
        }
        int move = 0;
        int acks = 0;
        boolean known = reply.status() != Status.REPLAY; // the first answer, which is lost, told what was refused
        for (Finished each : batch) {
            boolean isAck = each.settlement().isAck();
            acks += isAck ? 1 : 0;
            int result = known && !isAck ? reply.moves().get(move++) : Claims.SETTLED;
            if (result < 0) {
                unsettled.refuse(each, shared.nanos());
                log.error(
                        "Could not settle {}: the key that it belongs to has the wrong type. It stays in progress and is tried again",
                        each.job());
                continue;
            }
            leave(each.job());
        }
        if (byToken.isEmpty()) {
            tellEmpty();
        }
        return acks;
    }

    /** All of them run elsewhere. Returns how many there were. */
    int loseAll() {
        List<ClaimedJob> lost = List.copyOf(byToken.values());
        for (ClaimedJob job : lost) {
            job.lose();
            leave(job);
        }
        unsettled.clear();
        tellEmpty();
        return lost.size();
    }

    private void leave(ClaimedJob job) {
        byToken.remove(job.token());
        if (shared.suspects().isOne(job.recoveries())) {
            shared.suspects().release();
        }
    }

    private synchronized void tellEmpty() {
        notifyAll();
    }
}
