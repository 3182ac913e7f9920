package dev.jobs.dashboard.web;

import dev.jobs.Internal;
import dev.jobs.dashboard.DashboardRole;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One operation of the API.
 *
 * @param role the least role that may call it
 */
@Internal
public record Route(DashboardRole role, Endpoint endpoint) {

    /** Answers a request; the returned value is written as JSON. */
    @FunctionalInterface
    public interface Endpoint {
        /**
         * @throws Problem if the request can't be fulfilled
         * @throws dev.jobs.JobsException as {@link dev.jobs.assembly.JobsAdmin} does
         */
        @Nullable Object answer(ApiRequest request);
    }

    public static Route look(Endpoint endpoint) {
        return new Route(DashboardRole.VIEWER, endpoint);
    }

    public static Route act(Endpoint endpoint) {
        return new Route(DashboardRole.OPERATOR, endpoint);
    }

    /**
     * All operations by method and address.
     *
     * @throws IllegalStateException if two parts have the same route
     */
    public static Map<String, Route> merge(Stream<Map<String, Route>> parts) {
        Map<String, Route> all = new HashMap<>();
        parts.forEach(part -> part.forEach((name, route) -> {
            if (all.putIfAbsent(name, route) != null) {
                throw new IllegalStateException("Two parts of the dashboard answer " + name);
            }
        }));
        return all;
    }
}
