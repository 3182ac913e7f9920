package dev.jobs.recurring;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The end of the last job and a time after that. As a text it is {@code @delay 1h30m}.
 *
 * @param seconds from the end of a job to the next slot
 * @param due the next slot; null if it is not known, since a job has not ended
 */
record FixedDelay(long seconds, @Nullable Instant due) implements Times {

    static final String PREFIX = "@delay";

    /** The next slot, or when it would be if the job ended at that time. */
    @Override
    public Instant next(Instant after) {
        return due != null && due.isAfter(after) ? due : Instant.ofEpochSecond(after.getEpochSecond() + seconds);
    }

    /** The next slot if it is due; long ago if it isn't, since those before are not remembered. */
    @Override
    public Instant atOrBefore(Instant time) {
        return due != null && !due.isAfter(time) ? due : Instant.EPOCH;
    }

    @Override
    public @Nullable Instant repeated(Instant slot) {
        return null;
    }
}
