package dev.jobs.engine;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Says when a fetcher looks again: at once when something happened, else after a pause that grows the longer nothing came. Waking and
 * ringing are thread-safe, all else is confined to the fetcher's thread.
 */
final class Pacer {

    private static final Duration SHORTEST = Duration.ofMillis(20);
    private static final Duration LONGEST = Duration.ofSeconds(1);
    /** How long a job may wait in the queue of an idle worker if nobody rings. */
    private static final Duration LONGEST_DEAF = Duration.ofMillis(200);

    private static final int CALM_RINGS = 3;
    private static final int MOST_OTHERS = 20;
    private static final long NANOS_PER_OTHER = 50_000;

    private final Shared shared;

    /** A permit means that something happened; more than one means no more. */
    private final Semaphore happened = new Semaphore(0);

    private volatile boolean rung;
    private boolean answersRing;
    private Duration pause = SHORTEST;
    private int vainRings;

    Pacer(Shared shared) {
        this.shared = shared;
    }

    /** Something happened in this process. */
    void wake() {
        if (happened.availablePermits() == 0) {
            happened.release();
        }
    }

    /** Something happened to a queue. */
    void ring() {
        rung = true;
        wake();
    }

    /** Before a look for jobs. With many idle processes a ring is for one of them: some look a moment later, and find nothing to take. */
    void beforeLook() {
        answersRing = rung;
        rung = false;
        int others = Math.min(shared.lease().processes() - 1, MOST_OTHERS);
        if (answersRing && others > 0) {
            LockSupport.parkNanos(shared.environment().random().nextLong(others * NANOS_PER_OTHER));
        }
    }

    /** The look found jobs. */
    void found() {
        pause = SHORTEST;
        vainRings = 0;
    }

    /** The look found nothing: waits for the next reason to look. */
    void foundNothing() throws InterruptedException {
        vainRings = answersRing ? vainRings + 1 : 0;
        if (vainRings > CALM_RINGS) {
            // Others are quicker, or nothing that rings is for us: as many looks as pushes would be a stampede.
            TimeUnit.MILLISECONDS.sleep(Math.min(vainRings - CALM_RINGS, 10));
        }
        if (!await(pause)) {
            Duration longest = shared.hearsRings().get() ? LONGEST : LONGEST_DEAF;
            Duration longer = pause.multipliedBy(2);
            pause = longer.compareTo(longest) < 0 ? longer : longest;
        }
    }

    /** Waits until something happens. Returns whether it did in time. */
    boolean await(Duration atMost) throws InterruptedException {
        boolean woken = happened.tryAcquire(atMost.toNanos(), TimeUnit.NANOSECONDS);
        happened.drainPermits();
        return woken;
    }
}
