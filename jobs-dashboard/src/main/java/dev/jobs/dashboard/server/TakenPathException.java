package dev.jobs.dashboard.server;

import java.util.Collection;
import java.util.List;

/** The application has pages of its own where the dashboard would be. */
final class TakenPathException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String path;

    @SuppressWarnings("serial") // never serialized
    private final List<String> mappings;

    TakenPathException(String path, Collection<String> mappings) {
        super("The dashboard is at " + path + ", where the application has mappings of its own: "
                + String.join(", ", mappings)
                + ". Set jobs.dashboard.path to another path, or jobs.dashboard.enabled=false");
        this.path = path;
        this.mappings = List.copyOf(mappings);
    }

    String path() {
        return path;
    }

    List<String> mappings() {
        return mappings;
    }
}
