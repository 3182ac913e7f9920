package dev.jobs.engine;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Says when a fetcher looks again: at once when something happened, else after a pause that grows the longer nothing came. Waking and
 * ringing are thread-safe, all else is for whoever has the fetcher's lock, and waiting for its thread.
 */
final class IdleWait {

    private static final Duration SHORTEST = Duration.ofMillis(20);
    private static final Duration LONGEST = Duration.ofSeconds(1);
    /** How long a job may wait in the queue of an idle worker if nobody rings. */
    private static final Duration LONGEST_DEAF = Duration.ofMillis(200);

    private static final int CALM_RINGS = 3;

    /** A process that looks in turns with others waits so many times shorter before its first look than before later ones. */
    private static final int EAGERNESS = 8;

    private final RunContext context;

    /** A permit means that something happened; more than one means no more. */
    private final Semaphore happened = new Semaphore(0);

    private volatile boolean rung;
    private boolean answersRing;
    private Duration pause = SHORTEST;
    private volatile int vainRings;

    IdleWait(RunContext context) {
        this.context = context;
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

    /** Whether something happened to a queue since the last look. */
    boolean isRung() {
        return rung;
    }

    /** Before a look for jobs. */
    void beforeLook() {
        answersRing = rung;
        rung = false;
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

    /**
     * After a look that found nothing: waits for the next reason to look.
     *
     * @param interval how often to look where nobody tells of jobs, on average; null where somebody does
     */
    void awaitReason(@Nullable Duration interval) throws InterruptedException {
        if (vainRings > CALM_RINGS) {
            // Others are quicker, or nothing that rings is for us: as many looks as pushes would be a stampede.
            TimeUnit.MILLISECONDS.sleep(Math.min(vainRings - CALM_RINGS, 10));
        }
        Duration longest = interval != null ? interval : context.hearsRings().get() ? LONGEST : LONGEST_DEAF;
        if (interval != null && pause.compareTo(interval.dividedBy(EAGERNESS)) < 0) {
            pause = interval.dividedBy(EAGERNESS);
        }
        Duration atMost = pause.compareTo(longest) < 0 ? pause : longest;
        // Those that look in turns don't all do it at once because they were started together.
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
