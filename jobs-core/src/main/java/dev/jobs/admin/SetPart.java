package dev.jobs.admin;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A part of a set, and the end from which it is read.
 *
 * @param since the earliest time of its jobs, inclusive; null for any
 * @param until the latest time of its jobs, inclusive; null for any
 * @param turned whether it is read from the other end than the set: scheduled and failed jobs latest first, dead ones
 *     oldest first
 */
public record SetPart(
        JobSet set, @Nullable Instant since, @Nullable Instant until, boolean turned) {

    /** The whole set in its usual order. */
    public static SetPart all(JobSet set) {
        return new SetPart(set, null, null, false);
    }

    boolean highestFirst() {
        return set == JobSet.DEAD;
    }
}
