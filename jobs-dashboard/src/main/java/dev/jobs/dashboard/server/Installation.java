package dev.jobs.dashboard.server;

import dev.jobs.Internal;
import dev.jobs.dashboard.live.LiveStream;
import dev.jobs.dashboard.live.Pulse;
import dev.jobs.dashboard.web.Route;
import java.util.Map;
import java.util.Set;

/**
 * The jobs of one Redis as the pages show them; or of all among which the application divides its jobs.
 *
 * @param name its segment of the path; empty for the application's own
 * @param audited its name in the audit; empty for the application's own if it doesn't divide its jobs
 * @param pages the pages that it has
 * @param routes its operations by method and address
 * @param pulse its live numbers
 * @param stream the pages that get them
 */
@Internal
public record Installation(
        String name, String audited, Set<String> pages, Map<String, Route> routes, Pulse<?> pulse, LiveStream stream) {

    public Installation {
        routes = Map.copyOf(routes);
    }

    /** Whether it is that of the application. */
    boolean isOwn() {
        return name.isEmpty();
    }
}
