package dev.jobs.engine;

import dev.jobs.Internal;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The application's code of a job that others may interrupt, or take away from a thread that doesn't end it. Attached to
 * the few jobs with a timeout, or that a cancellation interrupts. Guarded by the job.
 */
@Internal
public final class InterruptibleRun {

    private final ClaimedJob job;
    private boolean inside;
    private boolean interruptible;
    private boolean interrupted;
    private boolean lostBefore;
    private @Nullable Throwable abandonedFor;

    private InterruptibleRun(ClaimedJob job) {
        this.job = job;
    }

    /**
     * The current thread begins with the application's code, which may be interrupted.
     *
     * @param whenCancelled whether a cancellation interrupts it
     */
    public static void enter(ClaimedJob job, boolean whenCancelled) {
        synchronized (job) {
            InterruptibleRun run = job.part(InterruptibleRun.class, () -> new InterruptibleRun(job));
            run.inside = true;
            run.interruptible |= whenCancelled;
        }
    }

    /** The current thread is done with it. Neither what follows nor another job is interrupted. */
    public static void leave(ClaimedJob job) {
        InterruptibleRun run = job.part(InterruptibleRun.class);
        if (run != null) {
            run.leave();
        }
    }

    private void leave() {
        synchronized (job) {
            inside = false;
            if (interrupted) {
                interrupted = false;
                Thread.interrupted();
            }
        }
    }

    /** That of a job whose code has begun. */
    public static InterruptibleRun of(ClaimedJob job) {
        return Objects.requireNonNull(job.part(InterruptibleRun.class));
    }

    /** A job was cancelled: interrupts it once if it wants that. */
    public static void interruptCancelled(ClaimedJob job) {
        InterruptibleRun run = job.part(InterruptibleRun.class);
        if (run != null) {
            run.interruptCancelled();
        }
    }

    private void interruptCancelled() {
        synchronized (job) {
            if (interruptible && !interrupted) {
                interruptInside(() -> {});
            }
        }
    }

    /** Whether the code runs, for this process or, since its lease was lost, only on its thread. */
    public boolean isInside() {
        synchronized (job) {
            return inside && job.isOnThread();
        }
    }

    /** Does something, unless the code has ended, which it can't meanwhile. Returns whether it did. */
    public boolean whileInside(Runnable what) {
        synchronized (job) {
            boolean inside = isInside();
            if (inside) {
                what.run();
            }
            return inside;
        }
    }

    /** The same, and interrupts the code then; what follows on its thread won't notice. */
    public void interruptInside(Runnable before) {
        synchronized (job) {
            Thread runner = job.runner();
            if (whileInside(before) && runner != null) {
                interrupted = true;
                runner.interrupt();
            }
        }
    }

    /**
     * Takes the job away from a thread that doesn't end it. Returns that thread; null if the job has ended.
     *
     * @param why what it fails with
     */
    public @Nullable Thread abandon(Throwable why) {
        synchronized (job) {
            if (!isInside()) {
                return null;
            }
            lostBefore = !job.isOurs();
            abandonedFor = why;
            return job.leaveBehind();
        }
    }

    /** Whether another process had the job when its thread was abandoned. */
    boolean wasLost() {
        synchronized (job) {
            return lostBefore;
        }
    }

    /** Why it was abandoned. */
    Throwable abandonedFor() {
        synchronized (job) {
            return Objects.requireNonNull(abandonedFor);
        }
    }
}
