package dev.jobs;

import java.time.Instant;

/** How points in time are written into payloads. Reading needs no choice: {@link Payload#time} tells the forms apart. */
public enum PayloadTimes {
    /** Whole milliseconds since 1970, as Sidekiq 8 writes them. */
    MILLISECONDS,

    /**
     * Seconds since 1970 with a fraction, exact to the millisecond, as Sidekiq 6 and 7 write them. These take every number for seconds; later
     * versions take one with a fraction for seconds.
     */
    FLOAT_SECONDS;

    /** What to store of a time; as JSON it is never written with an exponent. */
    public Number of(Instant time) {
        long millis = time.toEpochMilli();
        if (this == MILLISECONDS) {
            return millis;
        }
        return millis / 1_000.0; // the nearest double, so that its shortest text has three digits of fraction at most
    }
}
