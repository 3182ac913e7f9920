package dev.jobs.dashboard;

import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The viewer, and the data that a page needs to start. */
final class SessionApi {

    private record Session(
            String role,
            String actor,
            DashboardTokens.@Nullable Token csrf,
            String locale,
            String version,
            Map<String, Boolean> features,
            @Nullable String application,
            long serverTime) {}

    private final DashboardTokens tokens;
    private final @Nullable String application;
    private final Map<String, Boolean> features;
    private final Clock clock;

    SessionApi(DashboardTokens tokens, @Nullable String application, List<Feature> features, Clock clock) {
        this.tokens = tokens;
        this.application = application;
        this.features = features.stream().collect(Collectors.toMap(Feature::name, feature -> true, (one, two) -> one));
        this.clock = clock;
    }

    Map<String, Route> routes() {
        return Map.of("GET api/session", Route.look(this::session));
    }

    private Object session(ApiRequest request) {
        String version = SessionApi.class.getPackage().getImplementationVersion();
        return new Session(
                request.role().name().toLowerCase(Locale.ROOT),
                request.actor(),
                tokens.of(request.http()),
                request.http().getLocale().getLanguage(),
                version == null ? "dev" : version,
                features,
                application,
                clock.millis());
    }
}
