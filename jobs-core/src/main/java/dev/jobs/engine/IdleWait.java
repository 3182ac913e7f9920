package dev.jobs.engine;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How long a fetcher waits between two polls: until something happens, or for a pause that grows while there are no
 * jobs. Waking and ringing are thread-safe. All else needs the fetcher's lock, except for waiting, which needs its
 * thread.
 */
final class IdleWait {

    private static final Duration SHORTEST = Duration.ofMillis(20);
    private static final Duration LONGEST = Duration.ofSeconds(1);
    /** How long a job may wait in the queue of an idle worker while the doorbell doesn't work. */
    private static final Duration LONGEST_DEAF = Duration.ofMillis(200);

    /** After more rings in a row than this without a job, polls are spaced out. */
    private static final int CALM_RINGS = 3;

    /** By how much the first pause of a capsule that takes turns polling is shorter than its interval. */
    private static final int EAGERNESS = 8;

    private final RunContext context;

    /** A permit means that something happened; further permits mean the same. */
    private final Semaphore happened = new Semaphore(0);

    private volatile boolean rung;
    private boolean answersRing;
    private Duration pause = SHORTEST;
    private volatile int uselessRings;

    IdleWait(RunContext context) {
        this.context = context;
    }

    /** Something happened in this process. */
    void wake() {
        if (happened.availablePermits() == 0) {
            happened.release();
        }
    }

    /** A queue changed. */
    void ring() {
        rung = true;
        wake();
    }

    /** Whether a queue changed since the last poll. */
    boolean isRung() {
        return rung;
    }

    /** The fetcher is about to poll. */
    void beforePoll() {
        answersRing = rung;
        rung = false;
    }

    /** There were jobs. */
    void found() {
        pause = SHORTEST;
        uselessRings = 0;
    }

    /**
     * The poll found no jobs.
     *
     * @param useless whether it settled nothing either
     */
    void foundNothing(boolean useless) {
        uselessRings = useless && answersRing ? uselessRings + 1 : 0;
    }

    /**
     * Waits for the time of the next poll, after one that found nothing.
     *
     * @param interval how often to poll on average while the capsule is not notified of jobs; null if it is
     */
    void awaitNextPoll(@Nullable Duration interval) throws InterruptedException {
        if (uselessRings > CALM_RINGS) {
            // Other processes are faster, or the rings are for other queues: a poll for each push would be a stampede.
            TimeUnit.MILLISECONDS.sleep(Math.min(uselessRings - CALM_RINGS, 10));
        }
        Duration longest = interval != null ? interval : context.hearsRings().get() ? LONGEST : LONGEST_DEAF;
        if (interval != null && pause.compareTo(interval.dividedBy(EAGERNESS)) < 0) {
            pause = interval.dividedBy(EAGERNESS);
        }
        Duration atMost = pause.compareTo(longest) < 0 ? pause : longest;
        // Capsules that take turns must not poll together because they were started together.
        double share =
                interval == null ? 1 : 0.5 + context.environment().random().nextDouble();
        if (!await(Duration.ofNanos((long) (atMost.toNanos() * share)))) {
            pause = atMost.multipliedBy(2);
        }
    }

    /** Waits until something happens. Returns whether it did in time. */
    boolean await(Duration atMost) throws InterruptedException {
        boolean woken = happened.tryAcquire(atMost.toNanos(), TimeUnit.NANOSECONDS);
        happened.drainPermits();
        return woken;
    }
}
