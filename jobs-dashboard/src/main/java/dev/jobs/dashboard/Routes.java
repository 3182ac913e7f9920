package dev.jobs.dashboard;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/** All operations of the API. */
final class Routes {

    private Routes() {}

    /** @throws IllegalStateException if two parts have the same route */
    static Map<String, Route> of(Stream<Map<String, Route>> parts) {
        Map<String, Route> all = new HashMap<>();
        parts.forEach(part -> part.forEach((name, route) -> {
            if (all.putIfAbsent(name, route) != null) {
                throw new IllegalStateException("Two parts of the dashboard answer " + name);
            }
        }));
        return all;
    }
}
