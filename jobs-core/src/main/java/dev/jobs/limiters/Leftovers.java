package dev.jobs.limiters;

import dev.jobs.store.Effect;
import java.util.ArrayList;
import java.util.List;

/** What still has to happen when a job is settled, since nothing else has done it. Thread-safe. */
final class Leftovers {

    // Guarded by this.
    private final List<Effect> effects = new ArrayList<>();

    synchronized void add(Effect effect) {
        effects.add(effect);
    }

    /** It is done. */
    synchronized void remove(Effect effect) {
        effects.remove(effect);
    }

    synchronized List<Effect> all() {
        return List.copyOf(effects);
    }
}
