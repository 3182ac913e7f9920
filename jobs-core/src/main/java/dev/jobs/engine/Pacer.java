package dev.jobs.engine;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Says when a fetcher looks again: at once when something happened, else after a pause that grows the longer nothing came. Waking and
 * ringing are thread-safe, all else is for whoever has the fetcher's turn, and waiting for its thread.
 */
final class Pacer {

    private static final Duration SHORTEST = Duration.ofMillis(20);
    private static final Duration LONGEST = Duration.ofSeconds(1);
    /** How long a job may wait in the queue of an idle worker if nobody rings. */
    private static final Duration LONGEST_DEAF = Duration.ofMillis(200);

    private static final int CALM_RINGS = 3;
    private static final int FEW_OTHERS = 3;
    private static final int MOST_OTHERS = 20;
    private static final long NANOS_PER_OTHER = 50_000;

    private final Shared shared;

    /** A permit means that something happened; more than one means no more. */
    private final Semaphore happened = new Semaphore(0);

    private volatile boolean rung;
    private boolean answersRing;
    private Duration pause = SHORTEST;
    private volatile int vainRings;

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

    /** Whether a ring is best answered by whoever hears it: not where many would do so at once, or where it would be in vain again. */
    boolean mayAnswerAtOnce() {
        return vainRings <= CALM_RINGS && isOneOfFew();
    }

    /** Whether so few processes work that all of them may answer at once. */
    boolean isOneOfFew() {
        return shared.lease().processes() - 1 <= FEW_OTHERS;
    }

    /** Whether something happened to a queue since the last look. */
    boolean isRung() {
        return rung;
    }

    /** Before a look for jobs by whoever heard the ring. */
    void beforeAnswer() {
        answersRing = true;
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

    /**
     * The look found nothing.
     *
     * @param inVain whether there was nothing else to tell Redis
     */
    void foundNothing(boolean inVain) {
        vainRings = inVain && answersRing ? vainRings + 1 : 0;
    }

    /** After a look that found nothing: waits for the next reason to look. */
    void awaitReason() throws InterruptedException {
        if (vainRings > CALM_RINGS) {
            // Others are quicker, or nothing that rings is for us: as many looks as pushes would be a stampede.
            TimeUnit.MILLISECONDS.sleep(Math.min(vainRings - CALM_RINGS, 10));
        }
        Duration atMost = pause;
        Duration longest = shared.hearsRings().get() ? LONGEST : LONGEST_DEAF;
        Duration longer = atMost.multipliedBy(2);
        if (!await(atMost)) {
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
