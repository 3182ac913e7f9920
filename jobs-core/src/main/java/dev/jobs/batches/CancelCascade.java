package dev.jobs.batches;

import dev.jobs.engine.RunContext;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Cancels the batches below cancelled ones that a caller of {@code cancel} left undone, such as one that died. Walks
 * through them in small steps: soon after a cancellation, and then ever less often while a cancelled batch is unfinished. Confined to
 * one thread.
 */
final class CancelCascade {

    private static final int STEPS = 20;
    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);

    private final BatchCancellations cancellations;
    private final RunContext context;

    private BatchCascade.@Nullable Walk walk;
    private String newest = "";
    private long dueNanos;
    private Duration pause = SHORTEST_PAUSE;

    CancelCascade(BatchCancellations cancellations, RunContext context) {
        this.cancellations = cancellations;
        this.context = context;
    }

    /** Another process leads. */
    void stop() {
        walk = null;
        newest = "";
    }

    /** Takes some steps. Returns whether to go on at once. */
    boolean runOnce() {
        BatchCascade.Walk current = walk == null ? begin() : walk;
        walk = null; // if a step fails, the walk begins anew
        for (int step = 0; current != null && step < STEPS; step++) {
            current = current.step() ? current : null;
        }
        walk = current;
        return current != null;
    }

    private BatchCascade.@Nullable Walk begin() {
        String latest = cancellations.newest();
        if (!latest.equals(newest)) {
            newest = latest;
            pause = SHORTEST_PAUSE;
            dueNanos = context.nanos();
        }
        if (latest.isEmpty() || context.nanos() - dueNanos < 0) {
            return null;
        }
        dueNanos = context.nanos() + pause.toNanos();
        Duration longer = pause.multipliedBy(2);
        pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
        return cancellations.walkBelow();
    }
}
