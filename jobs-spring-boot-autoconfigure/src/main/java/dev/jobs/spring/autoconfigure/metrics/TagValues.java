package dev.jobs.spring.autoconfigure.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The first so many values of a tag; later ones are all {@code other}, so that names from outside can't fill a meter registry. Thread-safe. */
final class TagValues {

    private final Set<String> known = ConcurrentHashMap.newKeySet();
    private final int most;

    TagValues(int most) {
        this.most = most;
    }

    String bounded(String value) {
        if (known.contains(value)) {
            return value;
        }
        // Threads that pass here at once may add a few more than that, which does no harm.
        return known.size() < most && known.add(value) ? value : "other";
    }
}
