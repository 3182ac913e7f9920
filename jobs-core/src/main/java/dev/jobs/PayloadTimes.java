package dev.jobs;

import java.time.Instant;

/** How points in time are written into payloads. {@link Payload#time} reads both forms. */
public enum PayloadTimes {
    /** Whole milliseconds since 1970, as Sidekiq 8 writes them. */
    MILLISECONDS,

    /**
     * Seconds since 1970 with a fraction, exact to the millisecond, as Sidekiq 6 and 7 write them. These versions read
     * every number as seconds; later ones read a number with a fraction as seconds.
     */
    FLOAT_SECONDS;

    /** The number to store for a time; its JSON text never has an exponent. */
    public Number of(Instant time) {
        long millis = time.toEpochMilli();
        if (this == MILLISECONDS) {
            return millis;
        }
        return millis / 1_000.0; // the nearest double, so that its shortest text has three digits of fraction at most
    }
}
