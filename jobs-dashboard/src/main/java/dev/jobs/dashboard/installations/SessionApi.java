package dev.jobs.dashboard.installations;

import dev.jobs.Internal;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Feature;
import dev.jobs.dashboard.web.FeaturePages;
import dev.jobs.dashboard.web.Route;
import dev.jobs.dashboard.web.WebRequest;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The viewer, and the data that a page needs to start. */
@Internal
public final class SessionApi {

    /**
     * What a page is told at its start.
     *
     * @param idle as in {@link WebRequest.Session}
     * @param at the segment of the installation's path; empty for the application's own
     * @param found what has pages that the scripts don't list
     * @param installations that the user can switch between; empty if there is only one
     * @param divisions the installations among which the application divides its jobs; null if home is the only one
     */
    private record Session(
            String role,
            String actor,
            WebRequest.@Nullable Token csrf,
            @Nullable Integer idle,
            String locale,
            String version,
            Map<String, Boolean> features,
            List<Found> found,
            @Nullable String application,
            Systems.SystemView system,
            String at,
            List<Systems.Choice> installations,
            Systems.@Nullable Divided divisions,
            long serverTime) {}

    /** @param pages the first is in the menu */
    private record Found(String feature, List<String> pages) {}

    private final Systems systems;
    private final String at;
    private final Map<String, Boolean> features;
    private final List<Found> found;
    private final Clock clock;

    /**
     * @param at the segment of the installation's path; empty for the application's own
     * @param further what has pages that the scripts don't list
     */
    public SessionApi(Systems systems, String at, List<Feature> features, List<FeaturePages> further, Clock clock) {
        this.systems = systems;
        this.at = at;
        this.features = features.stream().collect(Collectors.toMap(Feature::name, feature -> true, (one, two) -> one));
        this.found = further.stream()
                .map(each -> new Found(each.name(), List.copyOf(each.pages())))
                .toList();
        this.clock = clock;
    }

    public Map<String, Route> routes() {
        return Map.of("GET api/session", Route.look(this::session));
    }

    private Object session(ApiRequest request) {
        String version = SessionApi.class.getPackage().getImplementationVersion();
        WebRequest.Session kept = request.web().session();
        return new Session(
                request.role().name().toLowerCase(Locale.ROOT),
                request.shownActor(),
                kept.token(),
                kept.idle(),
                request.web().language(),
                version == null ? "dev" : version,
                features,
                found,
                systems.application(),
                systems.view(at),
                at,
                systems.choices(),
                systems.divisions(),
                clock.millis());
    }
}
