package dev.jobs.ends;

import dev.jobs.Internal;
import dev.jobs.engine.ClaimedJob;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** How long one execution may take, and how far it has come. Guarded by its job, except for what never changes. */
@Internal
public final class TimedRun {

    private static final StackTraceElement[] NO_FRAMES = {};

    private enum Stage {
        RUNNING,
        SLOW,
        TOLD
    }

    private final LongSupplier nanoTime;
    private final Duration timeout;
    private final long slowAt;
    private final long endsAt;
    private final Duration grace;
    private final Object retry;
    private final boolean mayRetry;

    private volatile Stage stage = Stage.RUNNING;
    private StackTraceElement[] stack = NO_FRAMES;
    private volatile long abandonedAt;

    /**
     * Begins now.
     *
     * @param nanoTime the engine's own clock
     * @param grace how long it may go on after it was told to end
     * @param retry the job's own retry option, for a payload that has none
     * @param mayRetry whether it is retried if it times out
     */
    TimedRun(Duration timeout, Duration grace, LongSupplier nanoTime, Object retry, boolean mayRetry) {
        long started = nanoTime.getAsLong();
        this.nanoTime = nanoTime;
        this.timeout = timeout;
        this.slowAt = started + timeout.toNanos() / 5 * 4;
        this.endsAt = started + timeout.toNanos();
        this.grace = grace;
        this.retry = retry;
        this.mayRetry = mayRetry;
    }

    /** Whether a job was told to end since its time is over. */
    public static boolean isOver(ClaimedJob job) {
        TimedRun timed = job.part(TimedRun.class);
        return timed != null && timed.isOver();
    }

    /** When something has to be done next. */
    long due() {
        return switch (stage) {
            case RUNNING -> slowAt;
            case SLOW -> endsAt;
            case TOLD -> abandonedAt;
        };
    }

    boolean isRunning() {
        return stage == Stage.RUNNING;
    }

    void becomeSlow() {
        stage = Stage.SLOW;
    }

    /** @param now where the thread is at the deadline */
    void tellToEnd(StackTraceElement[] now) {
        stack = now;
        abandonedAt = nanoTime.getAsLong() + grace.toNanos(); // the process may have stood still at the deadline
        stage = Stage.TOLD;
    }

    /** Whether the deadline has passed and the job was told to end. */
    boolean isOver() {
        return stage == Stage.TOLD;
    }

    Duration timeout() {
        return timeout;
    }

    /** Zero after the deadline. */
    Duration remaining() {
        return Duration.ofNanos(Math.max(0, endsAt - nanoTime.getAsLong()));
    }

    Object retry() {
        return retry;
    }

    boolean mayRetry() {
        return mayRetry;
    }

    /** @param thrown what the job threw; null if it did not end */
    JobTimeoutException failure(@Nullable Throwable thrown) {
        String message = "It took longer than its timeout of " + seconds(timeout)
                + (thrown == null ? " and did not end in the " + seconds(grace) + " after it" : "");
        return new JobTimeoutException(message, timeout, stack, thrown);
    }

    private static String seconds(Duration duration) {
        return (duration.toMillis() % 1_000 == 0 ? duration.toSeconds() + "" : duration.toMillis() / 1_000.0 + "")
                + " s";
    }
}
