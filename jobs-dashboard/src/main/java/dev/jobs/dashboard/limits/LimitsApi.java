package dev.jobs.dashboard.limits;

import dev.jobs.Internal;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.Page;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.jobs.Views;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Audit;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.dashboard.web.Route;
import dev.jobs.limits.LimitInfo;
import dev.jobs.limits.LimitRate;
import dev.jobs.limits.LimitedJob;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Limits, their keys, and the jobs that hold them or wait for them. */
@Internal
public final class LimitsApi {

    private static final int MOST_NAME = 200;
    private static final int MOST_KEY = 500;
    private static final int MOST_LIMITS = 500;

    private record RateView(int jobs, long per, int burst) {}

    private record LimitView(
            String name,
            @Nullable Integer concurrency,
            @Nullable RateView rate,
            boolean changed,
            long held,
            long waiting,
            long longestWait) {

        static LimitView of(LimitInfo limit) {
            LimitRate rate = limit.rate();
            return new LimitView(
                    limit.name(),
                    limit.concurrency(),
                    rate == null ? null : new RateView(rate.jobs(), rate.per().toMillis(), rate.burst()),
                    limit.changed(),
                    limit.held(),
                    limit.waiting(),
                    limit.longestWait().toMillis());
        }
    }

    private record LimitsView(List<LimitView> items, long total) {}

    private record KeyView(String key, long held, long waiting, long longestWait, long nextStart) {

        static KeyView of(LimitInfo.Key key) {
            return new KeyView(
                    key.key(),
                    key.held(),
                    key.waiting(),
                    key.longestWait().toMillis(),
                    key.nextStart().toMillis());
        }
    }

    private record OneLimit(LimitView limit, List<KeyView> keys) {}

    private record HolderView(String process, String queue, Views.@Nullable JobView job) {}

    /** @param next the position of the first job of the next page; null if this is the last one */
    private record OneKey(
            List<HolderView> holders,
            List<Views.JobView> waiting,
            @Nullable Long next) {}

    private final JobsAdmin admin;
    private final Views views;

    public LimitsApi(JobsAdmin admin, Views views) {
        this.admin = admin;
        this.views = views;
    }

    public Map<String, Route> routes() {
        return Map.of(
                "GET api/limits", Route.look(this::list),
                "GET api/limit", Route.look(this::one),
                "GET api/limit/key", Route.look(this::key),
                "POST api/limit/set", Route.act(this::set),
                "POST api/limit/rate", Route.act(this::setRate),
                "POST api/limit/reset", Route.act(this::reset));
    }

    private Object list(ApiRequest request) {
        List<LimitInfo> all = admin.limits().all();
        return new LimitsView(all.stream().limit(MOST_LIMITS).map(LimitView::of).toList(), all.size());
    }

    private Object one(ApiRequest request) {
        String name = request.text("name", MOST_NAME);
        return new OneLimit(
                LimitView.of(admin.limits().get(name)),
                admin.limits().keys(name, request.textOrNull("after", MOST_KEY)).stream()
                        .map(KeyView::of)
                        .toList());
    }

    /** The jobs of one key: those that run, and the next ones to go on. */
    private Object key(ApiRequest request) {
        String name = request.text("name", MOST_NAME);
        String key = keyOf(request);
        int size = (int) request.number("size", 25, 1, 100);
        long from = request.number("from", 0, 0, Integer.MAX_VALUE);
        Page<LimitedJob> waiting = admin.limits().waiting(name, key, from, size);
        return new OneKey(
                admin.limits().holders(name, key).stream().map(this::view).toList(),
                waiting.items().stream().map(views::parked).toList(),
                waiting.next() < 0 ? null : waiting.next());
    }

    private static String keyOf(ApiRequest request) {
        String key = request.textOrNull("key", MOST_KEY);
        return key == null ? "" : key;
    }

    private HolderView view(LimitInfo.Holder holder) {
        JobRecord job = holder.job();
        return new HolderView(holder.process(), holder.queue(), job == null ? null : views.job(new ListedJob(job, 0)));
    }

    private Object set(ApiRequest request) {
        String name = request.text("name", MOST_NAME);
        int concurrency = (int) request.number("concurrency", 0, 1, 1_000_000);
        return Map.of(
                "changed", Audit.changing(request, "set limit " + name + " to " + concurrency, () -> admin.limits()
                        .set(name, concurrency)));
    }

    /** {@code per} is in milliseconds; {@code burst} is as large as the rate if it is missing. */
    private Object setRate(ApiRequest request) {
        String name = request.text("name", MOST_NAME);
        int jobs = (int) request.number("rate", 0, 1, LimitRate.MOST);
        long per = request.number("per", 0, LimitRate.SHORTEST.toMillis(), LimitRate.LONGEST.toMillis());
        int burst = (int) request.number("burst", jobs, 1, LimitRate.MOST);
        LimitRate rate;
        try {
            rate = new LimitRate(jobs, Duration.ofMillis(per), burst);
        } catch (IllegalArgumentException e) {
            throw Problem.badParameter("rate", "one that can work: " + e.getMessage());
        }
        return Map.of("changed", Audit.changing(request, "set limit " + name + " to " + rate, () -> admin.limits()
                .set(name, rate)));
    }

    private Object reset(ApiRequest request) {
        String name = request.text("name", MOST_NAME);
        return Map.of("changed", Audit.changing(request, "reset limit " + name, () -> admin.limits()
                .reset(name)));
    }

    /**
     * The parked job that a request names by its limit, by its key there if it has one, and by its address.
     *
     * @param address as {@link LimitedJob#address} returned it
     */
    public static Optional<LimitedJob> parked(JobsAdmin admin, ApiRequest request, String address) {
        String key = request.textOrNull("of", MOST_KEY);
        return admin.limits().findAt(request.text("limit", MOST_NAME), key == null ? "" : key, address);
    }
}
