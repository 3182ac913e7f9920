package dev.jobs.engine;

import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How long Redis takes to answer beats, and a word about it when it takes long. Fed by one thread, read by any. */
final class RoundTrips {

    private static final Logger log = LoggerFactory.getLogger(RoundTrips.class);

    private static final long SLOW_MICROS = 50_000;
    private static final int INCIDENT = 5;

    private volatile long lastMicros;

    // Confined to the thread that feeds it.
    private int slow;

    void took(long micros) {
        lastMicros = micros;
        slow = micros > SLOW_MICROS ? Math.min(slow + 1, INCIDENT + 1) : 0;
        if (slow == INCIDENT) {
            log.warn(
                    "Redis answered five times in a row after more than 50 ms, the last time after {} µs. The network, the server or this "
                            + "machine is overloaded, and every job waits for it",
                    String.format(Locale.ROOT, "%,d", micros));
        }
    }

    long lastMicros() {
        return lastMicros;
    }
}
