package dev.jobs.engine;

import dev.jobs.engine.ThreadPool.Share;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How the capsules of several engines divide the threads of their {@link ThreadPool}. A capsule that has a pool to
 * itself needs none of this.
 *
 * <p>A capsule is <em>hungry</em> while its queues gave all that it asked for, or may have jobs that it had no room to
 * ask for. While several are, each keeps to an equal part of the threads, so a thread that one leaves goes to another;
 * if the threads can't be divided evenly, the rest goes around. A capsule that is alone hungry may use all.
 * Thread-safe.
 */
final class FairShares {

    /** How long a capsule whose queues were empty, and which has no room since, takes them for empty. */
    private static final Duration UNKNOWN_AFTER = Duration.ofMillis(100);

    /**
     * How long a capsule counts as hungry that does not say so again: then its Redis doesn't answer, and its part is
     * for the others.
     */
    private static final Duration HUNGRY_FOR = ThreadPool.NOTHING_TO_DO.multipliedBy(2);

    private final List<Share> shares;
    private final Set<Share> waiting = new CopyOnWriteArraySet<>();
    private final AtomicInteger turn = new AtomicInteger();

    /** @param shares those of all capsules, also of ones that have left while threads are busy with their jobs */
    FairShares(List<Share> shares) {
        this.shares = shares;
    }

    /** How many of the usable threads are left for one capsule, which has taken none of them. */
    int threadsFor(Share share, int usable, long nanos) {
        int hungry = hungry(nanos);
        int others = 0;
        for (Share each : shares) {
            if (each != share) {
                // what is ready but beyond its part goes back, or starts soon
                int running = each.kept() - each.ready();
                others += Math.max(Math.min(each.kept(), part(each, usable, hungry, nanos)), running);
            }
        }
        return Math.min(usable - others, part(share, usable, hungry, nanos));
    }

    /** How many capsules are hungry. */
    int hungry(long nanos) {
        int hungry = 0;
        for (Share each : shares) {
            hungry += isHungry(each, nanos) ? 1 : 0;
        }
        return hungry;
    }

    private static boolean isHungry(Share share, long nanos) {
        return share.isHungry() && nanos - share.toldNanos() < HUNGRY_FOR.toNanos();
    }

    /** How many of the usable threads a capsule may take while so many are hungry. */
    private int part(Share share, int usable, int hungry, long nanos) {
        if (hungry == 0 || hungry == 1 && isHungry(share, nanos)) {
            return usable;
        }
        if (!isHungry(share, nanos)) {
            return usable - 1; // one that becomes free is for those that are
        }
        int before = 0;
        for (Share each : shares) {
            if (each == share) {
                break;
            }
            before += isHungry(each, nanos) ? 1 : 0;
        }
        int position = Math.floorMod(before + turn.get(), hungry);
        return usable / hungry + (position < usable % hungry ? 1 : 0);
    }

    /**
     * A capsule has no room. If its queues may have jobs, it is woken when it may have some.
     *
     * @param blocked how many threads must stay free for jobs that Redis could not settle
     * @param rung whether a queue is known to have changed
     * @return after how long to look again at the latest
     */
    Duration awaitRoom(Share share, int blocked, boolean rung, long nanos) {
        long left = UNKNOWN_AFTER.toNanos() - (nanos - share.toldNanos());
        if (!rung && !share.isHungry() && left > 0) {
            return Duration.ofNanos(left);
        }
        share.hungry(true, nanos);
        waiting.add(share);
        if (share.room(blocked, 0, nanos) > 0) {
            share.wake(); // it got some just before it could be woken
        }
        return ThreadPool.NOTHING_TO_DO;
    }

    /** A capsule needs one thread fewer, or is no longer hungry. */
    void freed() {
        turn.incrementAndGet();
        forgetGone();
        wakeWaiting();
    }

    /** A capsule has left. It stays known while threads are busy with its jobs, since these are missing to the others. */
    void left() {
        forgetGone();
        wakeWaiting();
    }

    private void forgetGone() {
        shares.removeIf(share -> share.isGone() && share.isIdle());
    }

    /** Wakes the capsules that wait for room: there may be some. */
    void wakeWaiting() {
        if (waiting.isEmpty()) {
            return;
        }
        waiting.forEach(share -> {
            if (waiting.remove(share)) {
                share.wake();
            }
        });
    }
}
