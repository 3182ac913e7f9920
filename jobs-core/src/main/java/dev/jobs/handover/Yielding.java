package dev.jobs.handover;

import dev.jobs.Internal;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Whether this worker lets others take jobs first, since it lately took one that only they can run. It then isn't on
 * call and polls at intervals. Without this, an idle worker that answers first would take the same job time and again.
 * Thread-safe.
 */
@Internal
public final class Yielding {

    /** Longer than a job that others can run is postponed. */
    private static final Duration LASTS = Duration.ofSeconds(10);

    private final LongSupplier nanoTime;
    private volatile boolean begun;
    private volatile long until;

    Yielding(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    public void begin() {
        until = nanoTime.getAsLong() + LASTS.toNanos();
        begun = true;
    }

    boolean yields() {
        return begun && nanoTime.getAsLong() - until < 0;
    }
}
