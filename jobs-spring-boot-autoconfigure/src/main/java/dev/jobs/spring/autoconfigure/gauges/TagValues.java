package dev.jobs.spring.autoconfigure.gauges;

import dev.jobs.Internal;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps the first so many values of a tag and maps later ones to {@code other}, so that names from outside can't fill a
 * meter registry. Thread-safe.
 */
@Internal
public final class TagValues {

    private final Set<String> known = ConcurrentHashMap.newKeySet();
    private final int most;

    public TagValues(int most) {
        this.most = most;
    }

    public String bounded(String value) {
        if (known.contains(value)) {
            return value;
        }
        // Concurrent threads may add a few more, which does no harm.
        return known.size() < most && known.add(value) ? value : "other";
    }
}
