package dev.jobs.engine;

import java.util.Collection;
import java.util.Set;

/** The ids of batches that are cancelled, as this process knows. Thread-safe. */
final class CancelledBatches {

    private volatile Set<String> ids = Set.of();

    /** Whether anything was asked since the last {@link #wasAsked}. */
    private volatile boolean asked;

    boolean contains(String id) {
        if (!asked) {
            asked = true;
        }
        return ids.contains(id);
    }

    /** Whether any job of a batch has run since the last call. */
    boolean wasAsked() {
        boolean was = asked;
        asked = false;
        return was;
    }

    /** Replaces what is known. */
    void replace(Collection<String> known) {
        if (!known.isEmpty() || !ids.isEmpty()) {
            ids = Set.copyOf(known);
        }
    }
}
