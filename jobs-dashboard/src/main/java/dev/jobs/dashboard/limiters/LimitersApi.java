package dev.jobs.dashboard.limiters;

import dev.jobs.Internal;
import dev.jobs.admin.Found;
import dev.jobs.admin.ScanBudget;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Audit;
import dev.jobs.dashboard.web.Route;
import dev.jobs.limiters.LimiterInfo;
import dev.jobs.limiters.Limiters.Kind;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** Limiters: how much of each is used, and how large it is. */
@Internal
public final class LimitersApi {

    /** The page shows so many; of more, one is looked up by its name. */
    private static final ScanBudget SHOWN = new ScanBudget(200, Duration.ofMillis(250));

    private static final int MOST_NAME = 200;
    private static final long MOST = 1_000_000_000;

    private static final Comparator<LimiterInfo> BY_NAME =
            Comparator.comparing(LimiterInfo::name).thenComparing(LimiterInfo::kind);

    /** @param used of the size; may have a fraction, since points drain evenly */
    private record LimiterView(String kind, String name, long size, boolean resized, double used, long freeIn) {

        static LimiterView of(LimiterInfo limiter) {
            return new LimiterView(
                    limiter.kind().name().toLowerCase(Locale.ROOT),
                    limiter.name(),
                    limiter.size(),
                    limiter.resized(),
                    limiter.used(),
                    limiter.freeIn().toMillis());
        }
    }

    private record LimitersView(List<LimiterView> items, boolean partial) {

        static LimitersView of(Stream<LimiterInfo> limiters, boolean partial) {
            return new LimitersView(
                    limiters.sorted(BY_NAME).map(LimiterView::of).toList(), partial);
        }
    }

    private final JobsAdmin admin;

    public LimitersApi(JobsAdmin admin) {
        this.admin = admin;
    }

    public Map<String, Route> routes() {
        return Map.of(
                "GET api/limiters", Route.look(this::list),
                "POST api/limiter/resize", Route.act(this::resize),
                "POST api/limiter/reset", Route.act(this::reset));
    }

    /** All limiters, or those with the name that the request has. */
    private Object list(ApiRequest request) {
        String name = request.textOrNull("name", MOST_NAME);
        if (name != null && !name.isEmpty()) {
            return LimitersView.of(
                    Arrays.stream(Kind.values()).flatMap(kind -> admin.limiters().find(kind, name).stream()), false);
        }
        Found<LimiterInfo> found = admin.limiters().all(SHOWN);
        return LimitersView.of(found.items().stream(), found.partial());
    }

    private Object resize(ApiRequest request) {
        Kind kind = kind(request);
        String name = request.text("name", MOST_NAME);
        long size = request.number("size", 0, 1, MOST);
        return told(request, "resize limiter " + label(kind, name) + " to " + size, () -> admin.limiters()
                .resize(kind, name, size));
    }

    private Object reset(ApiRequest request) {
        Kind kind = kind(request);
        String name = request.text("name", MOST_NAME);
        return told(request, "reset limiter " + label(kind, name), () -> admin.limiters()
                .useSizeOfCode(kind, name));
    }

    private static Object told(ApiRequest request, String what, Runnable action) {
        boolean done = false;
        try {
            action.run();
            done = true;
        } finally {
            Audit.done(request, what, done ? 1 : 0);
        }
        return Map.of("changed", true);
    }

    private static Kind kind(ApiRequest request) {
        request.text("kind", MOST_NAME);
        String[] words = Arrays.stream(Kind.values())
                .map(kind -> kind.name().toLowerCase(Locale.ROOT))
                .toArray(String[]::new);
        return Kind.valueOf(request.word("kind", words).toUpperCase(Locale.ROOT));
    }

    private static String label(Kind kind, String name) {
        return name + " (" + kind.name().toLowerCase(Locale.ROOT) + ")";
    }
}
