package dev.jobs.dashboard.live;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import java.time.Clock;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value that is read once for all callers within a moment, so that many callers cost no more than one. While Redis is
 * away, only one caller waits for it. Thread-safe.
 */
@Internal
public final class BriefCache<T> {

    private final Supplier<T> reading;
    private final Duration lasts;
    private final Clock clock;

    // Guarded by this.
    private @Nullable T value;
    private @Nullable JobStoreException failure;
    private long readAt;

    public BriefCache(Supplier<T> reading, Duration lasts, Clock clock) {
        this.reading = reading;
        this.lasts = lasts;
        this.clock = clock;
    }

    /** @throws JobStoreException if Redis could not be read, now or a moment ago */
    public synchronized T get() {
        long age = clock.millis() - readAt;
        boolean fresh = age >= 0 && age < lasts.toMillis();
        JobStoreException failed = failure;
        if (fresh && failed != null) {
            throw failed;
        }
        T known = value;
        if (fresh && known != null) {
            return known;
        }
        long begun = clock.millis();
        try {
            T read = reading.get();
            value = read;
            failure = null;
            readAt = begun;
            return read;
        } catch (JobStoreException e) {
            failure = e;
            readAt = clock.millis(); // callers that waited for this must not wait for Redis one after the other
            throw e;
        }
    }
}
