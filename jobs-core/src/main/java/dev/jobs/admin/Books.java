package dev.jobs.admin;

/**
 * Everything that workers ever claimed and what became of it, read at one moment.
 *
 * @param acked done, or dropped by rule
 * @param moved to the retry or dead set, or to the back of a queue
 * @param requeued handed back at a shutdown
 * @param recovered put back after their worker died
 * @param poisoned buried because they outlived their worker too often
 * @param inFlight held by a process now
 */
public record Books(long claimed, long acked, long moved, long requeued, long recovered, long poisoned, long inFlight) {

    /** What is unaccounted for: 0, unless someone deleted or duplicated data behind our back. */
    public long conservationError() {
        return claimed - acked - moved - requeued - recovered - poisoned - inFlight;
    }
}
