package dev.jobs.admin;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * All jobs ever claimed and what became of them, read at one moment.
 *
 * @param acked done, or discarded by a rule
 * @param moved to the retry or dead set, or to the back of a queue
 * @param requeued handed back at a shutdown
 * @param recovered put back after their worker died
 * @param poisoned moved to the dead set because their worker died with them too often
 * @param inFlight held by a process now
 */
public record Books(long claimed, long acked, long moved, long requeued, long recovered, long poisoned, long inFlight) {

    /** Unaccounted jobs: 0, unless someone else deleted or duplicated data in Redis. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public long conservationError() {
        return claimed - acked - moved - requeued - recovered - poisoned - inFlight;
    }
}
