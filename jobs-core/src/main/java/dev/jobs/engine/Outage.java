package dev.jobs.engine;

import dev.jobs.JobStoreException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes one line when Redis can't be used and one when it can again, whoever notices first and how often. Thread-safe. */
final class Outage {

    private static final Logger log = LoggerFactory.getLogger(Outage.class);

    private final LongSupplier nanoTime;
    private final Set<String> affected = new LinkedHashSet<>();
    private long since;
    private volatile @Nullable String error;

    Outage(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** A duty could not do its work. */
    void failed(String duty, JobStoreException e) {
        synchronized (affected) {
            boolean first = affected.isEmpty();
            affected.add(duty);
            error = e.getMessage();
            if (first) {
                since = nanoTime.getAsLong();
                log.warn(
                        "{} ({}). Running jobs go on, nothing new starts, and what is finished is settled when Redis answers again",
                        e.getMessage(),
                        duty);
                log.debug("What {} ran into", duty, e);
            }
        }
    }

    /** A duty did its work. */
    void worked(String duty) {
        if (error == null) {
            return;
        }
        synchronized (affected) {
            if (affected.remove(duty) && affected.isEmpty()) {
                error = null;
                log.info(
                        "Redis answers again after {} s",
                        Duration.ofNanos(nanoTime.getAsLong() - since).toMillis() / 1000.0);
            }
        }
    }

    /** What Redis said last, or null if all is well. */
    @Nullable String error() {
        return error;
    }
}
