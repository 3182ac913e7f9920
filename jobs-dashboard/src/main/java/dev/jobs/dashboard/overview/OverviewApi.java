package dev.jobs.dashboard.overview;

import dev.jobs.Internal;
import dev.jobs.admin.Books;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.live.Sampler;
import dev.jobs.dashboard.metrics.DeployView;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.FindingView;
import dev.jobs.dashboard.web.Route;
import dev.jobs.metrics.History;
import dev.jobs.redis.ServerInfo;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The overview page. */
@Internal
public final class OverviewApi {

    private static final int MOST_DAYS = 180;

    private record Overview(
            Sampler.Live live,
            List<List<Object>> recent,
            List<Day> history,
            List<Sampler.QueueView> queues,
            int queueCount,
            Server server,
            @Nullable BooksView books,
            List<FindingView> warnings,
            List<FindingView> attention,
            List<DeployView> deploys) {}

    private record Day(String day, long processed, long failed) {}

    private record Server(
            String name,
            @Nullable String version,
            @Nullable Long uptime,
            @Nullable Long usedMemory,
            @Nullable Long peakMemory,
            @Nullable Long maxMemory,
            @Nullable String policy,
            @Nullable Long clients) {}

    private record BooksView(
            long claimed,
            long acked,
            long moved,
            long requeued,
            long recovered,
            long poisoned,
            long inFlight,
            long error) {}

    /** How long the page waits for warnings: usually they come at once. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final JobsAdmin admin;
    private final Sampler sampler;
    private final Attention attention;
    private final Clock clock;

    public OverviewApi(JobsAdmin admin, Sampler sampler, Clock clock) {
        this.admin = admin;
        this.sampler = sampler;
        this.attention = new Attention(admin, sampler, clock);
        this.clock = clock;
    }

    public Map<String, Route> routes() {
        return Map.of("GET api/overview", Route.look(this::overview));
    }

    private Object overview(ApiRequest request) {
        Sampler.Live live = sampler.latest();
        int days = (int) request.number("days", 7, 1, MOST_DAYS);
        return new Overview(
                live,
                sampler.recent(),
                admin.metrics().history(days).days().stream()
                        .map(OverviewApi::day)
                        .toList(),
                live.queues(),
                live.queueCount(),
                server(admin.server()),
                books(admin.books()),
                sampler.warnings(PATIENCE).stream().map(FindingView::of).toList(),
                attention.latest(),
                DeployView.since(clock.instant().minus(Duration.ofDays(days)), admin, clock));
    }

    private static Day day(History.Day day) {
        return new Day(day.date().toString(), day.processed(), day.failed());
    }

    private static Server server(ServerInfo info) {
        Duration uptime = info.uptime();
        return new Server(
                info.name(),
                info.version(),
                uptime == null ? null : uptime.toMillis(),
                info.usedMemory(),
                info.peakMemory(),
                info.maxMemory(),
                info.maxMemoryPolicy(),
                info.connectedClients());
    }

    private static @Nullable BooksView books(@Nullable Books books) {
        return books == null
                ? null
                : new BooksView(
                        books.claimed(),
                        books.acked(),
                        books.moved(),
                        books.requeued(),
                        books.recovered(),
                        books.poisoned(),
                        books.inFlight(),
                        books.conservationError());
    }
}
