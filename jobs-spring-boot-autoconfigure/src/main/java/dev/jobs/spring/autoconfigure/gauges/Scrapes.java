package dev.jobs.spring.autoconfigure.gauges;

import dev.jobs.Internal;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Notices when somebody looks at the gauges, as a scrape does: nobody else needs readings. Thread-safe. */
@Internal
public final class Scrapes {

    /** How long after a look the gauges are read. */
    static final Duration WATCHED = Duration.ofMinutes(10);

    private final LongSupplier nanoTime;
    private final AtomicReference<@Nullable Long> last = new AtomicReference<>();
    private volatile Runnable first = () -> {};

    public Scrapes(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** @param action what a look does that is the first for a long time; it must not block */
    public void onFirst(Runnable action) {
        first = action;
    }

    /** Somebody looks. */
    public void looked() {
        Long now = nanoTime.getAsLong();
        Long before = last.getAndSet(now);
        // The time is read again: a refresh may have ended in the meantime, since the last look was too long ago.
        if (before == null || nanoTime.getAsLong() - before >= WATCHED.toNanos()) {
            try {
                first.run();
            } catch (Throwable e) {
                last.compareAndSet(now, null); // the next look is the first
                throw e;
            }
        }
    }

    public boolean areRecent() {
        long now = nanoTime.getAsLong();
        Long before = last.get();
        return before != null && now - before < WATCHED.toNanos();
    }
}
