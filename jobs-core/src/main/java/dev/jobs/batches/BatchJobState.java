package dev.jobs.batches;

import dev.jobs.JobFailedException;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** The state of a job in a {@link Batches batch}, and the letter that stands for it in Redis. */
public enum BatchJobState {
    /** Waits; no execution has ended yet. */
    ENQUEUED('q'),
    /** Runs for the first time. Noted within about a second, so short jobs are never seen in this state. */
    WORKING('w'),
    /** Has failed or was revived, and waits to run again. */
    RETRYING('r'),
    /** Runs again. */
    WORKING_AGAIN('v'),
    /** Ended without an error. Final. */
    SUCCEEDED('s'),
    /** Ended with a {@link JobFailedException}. Final. */
    FAILED('f'),
    /** Given up, and kept in the dead set. */
    DEAD('d'),
    /** Given up, and kept nowhere. */
    DISCARDED('x'),
    /** Never ran to an end: deleted, cancelled, or refused by a middleware. */
    SKIPPED('k'),
    /** Found nowhere by an audit. */
    LOST('l');

    private final char letter;

    BatchJobState(char letter) {
        this.letter = letter;
    }

    /** The letter in Redis. */
    public char letter() {
        return letter;
    }

    /** Whether the job waits or runs. */
    public boolean isPending() {
        return pending().contains(this);
    }

    /** The states of jobs that wait or run. */
    public static Set<BatchJobState> pending() {
        return EnumSet.of(ENQUEUED, WORKING, RETRYING, WORKING_AGAIN);
    }

    /** The state with that letter; empty for an index without a job. */
    public static Optional<BatchJobState> of(char letter) {
        char plain = Character.toLowerCase(letter); // capital while an audit looks for the job
        for (BatchJobState state : values()) {
            if (state.letter == plain) {
                return Optional.of(state);
            }
        }
        return Optional.empty();
    }
}
