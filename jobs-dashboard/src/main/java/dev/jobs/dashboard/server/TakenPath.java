package dev.jobs.dashboard.server;

import dev.jobs.Internal;
import java.util.Set;
import java.util.TreeSet;

/**
 * Collects what the application itself has at the path of the dashboard, or below it. The dashboard would answer those
 * requests, and nobody would know. What begins with a variable or a wildcard, such as {@code /**}, is no obstacle: it
 * has always left the more specific paths to others. Not thread-safe.
 */
@Internal
public final class TakenPath {

    private final String path;
    private final Set<String> mappings = new TreeSet<>();

    /** @param path of the dashboard */
    public TakenPath(String path) {
        this.path = path;
    }

    /**
     * A mapping of the application's.
     *
     * @param methods that it is for, or an empty text
     * @param pattern of its paths
     * @param handler who answers
     */
    public void add(String methods, String pattern, String handler) {
        String absolute = pattern.startsWith("/") ? pattern : "/" + pattern;
        if (absolute.equals(path) || absolute.startsWith(path + "/") || absolute.startsWith(path + "*")) {
            mappings.add((methods.isEmpty() ? "" : methods + " ") + absolute + ": " + handler);
        }
    }

    /** @throws TakenPathException if there is such a mapping */
    public void check() {
        if (!mappings.isEmpty()) {
            throw new TakenPathException(path, mappings);
        }
    }
}
