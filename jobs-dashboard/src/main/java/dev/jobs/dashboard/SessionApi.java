package dev.jobs.dashboard;

import java.time.Clock;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The viewer, and the data that a page needs to start. */
final class SessionApi {

    private record Session(
            String role,
            String actor,
            DashboardTokens.@Nullable Token csrf,
            String locale,
            String version,
            Features features,
            @Nullable String application,
            long serverTime) {}

    /** The optional pages that exist. */
    private record Features(boolean metrics, boolean recurring) {}

    private final DashboardTokens tokens;
    private final @Nullable String application;
    private final boolean recurring;
    private final Clock clock;

    SessionApi(DashboardTokens tokens, @Nullable String application, boolean recurring, Clock clock) {
        this.tokens = tokens;
        this.application = application;
        this.recurring = recurring;
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
                new Features(true, recurring),
                application,
                clock.millis());
    }
}
