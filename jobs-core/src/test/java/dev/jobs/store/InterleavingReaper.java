package dev.jobs.store;

import dev.jobs.store.InterleavingCall.Reap;
import java.util.List;
import java.util.Set;

/**
 * A reaper, which hands on one job with each call, out of those that it found when it looked.
 *
 * @param looks how often it will still look
 * @param victim the incarnation that it reaps now, or empty
 */
record InterleavingReaper(String name, int looks, String victim, List<String> tokens) {

    static InterleavingReaper idle(String name, int looks) {
        return new InterleavingReaper(name, looks, "", List.of());
    }

    boolean isIdle() {
        return victim.isEmpty();
    }

    InterleavingReaper looksAt(String incarnation, Set<String> held) {
        return new InterleavingReaper(name, looks - 1, incarnation, List.copyOf(held));
    }

    Reap next() {
        return new Reap(victim, tokens.isEmpty() ? "" : tokens.get(0));
    }

    InterleavingReaper afterwards() {
        return tokens.size() > 1
                ? new InterleavingReaper(name, looks, victim, tokens.subList(1, tokens.size()))
                : idle(name, looks);
    }
}
