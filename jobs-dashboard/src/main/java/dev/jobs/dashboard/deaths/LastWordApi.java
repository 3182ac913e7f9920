package dev.jobs.dashboard.deaths;

import dev.jobs.Internal;
import dev.jobs.JobRegistry;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Route;
import dev.jobs.deaths.DeathRules;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The method that is called when this application gives a job up. */
@Internal
public final class LastWordApi {

    private final @Nullable JobRegistry registry;

    /** @param method the names of its class and of itself; null if there is none */
    private record LastWord(@Nullable String method) {}

    /** @param registry null if the jobs are those of another application */
    public LastWordApi(@Nullable JobRegistry registry) {
        this.registry = registry;
    }

    public Map<String, Route> routes() {
        return Map.of("GET api/last-word", Route.look(this::lastWord));
    }

    private Object lastWord(ApiRequest request) {
        String name = request.text("name", ApiRequest.MOST_NAME);
        return new LastWord(
                registry == null
                        ? null
                        : registry.find(name).map(DeathRules::methodOf).orElse(null));
    }
}
