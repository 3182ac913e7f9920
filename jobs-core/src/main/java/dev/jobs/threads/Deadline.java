package dev.jobs.threads;

import dev.jobs.Internal;
import java.time.Duration;

/** A moment by which several waits have to be over. */
@Internal
public record Deadline(long nanos) {

    public static Deadline in(Duration duration) {
        return new Deadline(System.nanoTime() + duration.toNanos());
    }

    /** The moment after this duration, or this deadline if that is earlier. */
    public Deadline atMost(Duration duration) {
        Deadline other = in(duration);
        return other.nanos - nanos < 0 ? other : this;
    }

    /** The time left, zero once it has passed. */
    public Duration left() {
        return Duration.ofNanos(Math.max(0, nanos - System.nanoTime()));
    }
}
