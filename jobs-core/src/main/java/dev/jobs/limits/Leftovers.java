package dev.jobs.limits;

import dev.jobs.Internal;
import dev.jobs.store.Effect;
import java.util.ArrayList;
import java.util.List;

/** What still has to happen when a job is settled, since nothing else has done it. Thread-safe. */
@Internal
public final class Leftovers {

    // Guarded by this.
    private final List<Effect> effects = new ArrayList<>();

    public synchronized void add(Effect effect) {
        effects.add(effect);
    }

    /** It is done. */
    public synchronized void remove(Effect effect) {
        effects.remove(effect);
    }

    public synchronized List<Effect> all() {
        return List.copyOf(effects);
    }
}
