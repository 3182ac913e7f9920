package dev.jobs.dashboard;

import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.function.LongSupplier;

/** Clocks that a test sets. */
public final class SettableClock {

    private SettableClock() {}

    /** @param millis the time in milliseconds since 1970 */
    public static Clock of(LongSupplier millis) {
        InstantSource source = () -> Instant.ofEpochMilli(millis.getAsLong());
        return source.withZone(ZoneOffset.UTC);
    }
}
