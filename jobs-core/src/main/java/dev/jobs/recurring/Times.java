package dev.jobs.recurring;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Where slots are on the time line. Immutable and thread-safe. */
interface Times {

    /** The first one after a time. */
    Instant next(Instant after);

    /** The last one at or before a time. */
    Instant atOrBefore(Instant time);

    /** The time at which clocks show the time of a slot again, or null. */
    @Nullable Instant repeated(Instant slot);
}
