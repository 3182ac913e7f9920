package dev.jobs.threads;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs one line when Redis can't be used and one when it can again, however many parts notice. Thread-safe. */
@Internal
public final class Outage {

    private static final Logger log = LoggerFactory.getLogger(Outage.class);

    private final LongSupplier nanoTime;
    private final Set<String> affected = new LinkedHashSet<>();
    private long since;
    private boolean saidDenied;
    private volatile @Nullable String error;

    public Outage(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * A part could not do its work. Logs the first reason, and the first denial after another reason: the driver
     * sometimes calls a connection with a wrong password closed, and a server may come back with another one.
     */
    public void failed(String part, JobStoreException e) {
        synchronized (affected) {
            boolean first = affected.isEmpty();
            affected.add(part);
            error = e.getMessage();
            boolean denied = e.kind() == JobStoreException.Kind.DENIED;
            boolean news = first || denied && !saidDenied;
            saidDenied = denied || !first && saidDenied;
            if (first) {
                since = nanoTime.getAsLong();
            }
            if (news) {
                log.warn(
                        "{} ({}). Running jobs continue, no new ones start, and finished ones are settled when Redis answers again",
                        e.getMessage(),
                        part);
                log.debug("The failure of {}", part, e);
            }
        }
    }

    /** A part did its work, or has none to do. A part that failed must call this, or the outage never ends. */
    public void worked(String part) {
        if (error == null) {
            return;
        }
        synchronized (affected) {
            if (affected.remove(part) && affected.isEmpty()) {
                error = null;
                log.info(
                        "Redis answers again after {} s",
                        Duration.ofNanos(nanoTime.getAsLong() - since).toMillis() / 1000.0);
            }
        }
    }

    /** The last error of Redis, or null if it works. */
    @Nullable public String error() {
        return error;
    }
}
