package dev.jobs.dashboard;

import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobsAdmin;
import dev.jobs.admin.LimitHolder;
import dev.jobs.admin.LimitInfo;
import dev.jobs.admin.LimitKey;
import dev.jobs.admin.LimitedJob;
import dev.jobs.admin.PlacedJob;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Limits, their keys, and the jobs that hold them or wait for them. */
final class LimitsApi {

    private static final int MOST_NAME = 200;
    private static final int MOST_KEY = 500;
    private static final int MOST_LIMITS = 500;
    private static final int AROUND = 100;

    private record LimitView(
            String name, @Nullable Integer concurrency, boolean changed, long held, long waiting, long longestWait) {

        static LimitView of(LimitInfo limit) {
            return new LimitView(
                    limit.name(),
                    limit.concurrency(),
                    limit.changed(),
                    limit.held(),
                    limit.waiting(),
                    limit.longestWait().toMillis());
        }
    }

    private record LimitsView(List<LimitView> items, long total) {}

    private record KeyView(String key, long held, long waiting, long longestWait) {

        static KeyView of(LimitKey key) {
            return new KeyView(
                    key.key(), key.held(), key.waiting(), key.longestWait().toMillis());
        }
    }

    private record OneLimit(LimitView limit, List<KeyView> keys) {}

    private record HolderView(String process, String queue, Views.@Nullable JobView job) {}

    private record OneKey(List<HolderView> holders, List<Views.JobView> waiting, boolean more) {}

    private final JobsAdmin admin;
    private final Views views;

    LimitsApi(JobsAdmin admin, Views views) {
        this.admin = admin;
        this.views = views;
    }

    Map<String, Route> routes() {
        return Map.of(
                "GET api/limits", Route.look(this::list),
                "GET api/limit", Route.look(this::one),
                "GET api/limit/key", Route.look(this::key),
                "POST api/limit/set", Route.act(this::set),
                "POST api/limit/reset", Route.act(this::reset),
                "POST api/limit/delete", Route.act(this::delete));
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
        List<LimitedJob> waiting = admin.limits().waiting(name, key, from, size + 1);
        return new OneKey(
                admin.limits().holders(name, key).stream().map(this::view).toList(),
                waiting.stream().limit(size).map(job -> view(job.job())).toList(),
                waiting.size() > size);
    }

    private static String keyOf(ApiRequest request) {
        String key = request.textOrNull("key", MOST_KEY);
        return key == null ? "" : key;
    }

    private HolderView view(LimitHolder holder) {
        JobRecord job = holder.job();
        return new HolderView(holder.process(), holder.queue(), job == null ? null : view(job));
    }

    private Views.JobView view(JobRecord job) {
        return views.job(new PlacedJob(job, 0));
    }

    private Object set(ApiRequest request) {
        String name = request.text("name", MOST_NAME);
        int concurrency = (int) request.number("concurrency", 0, 1, 1_000_000);
        boolean changed = admin.limits().set(name, concurrency);
        Audit.done(request, "set limit " + name + " to " + concurrency, changed ? 1 : 0);
        return Map.of("changed", changed);
    }

    private Object reset(ApiRequest request) {
        String name = request.text("name", MOST_NAME);
        boolean changed = admin.limits().reset(name);
        Audit.done(request, "reset limit " + name, changed ? 1 : 0);
        return Map.of("changed", changed);
    }

    /** Deletes a parked job that the page shows; such a job doesn't go to the trash. */
    private Object delete(ApiRequest request) {
        String name = request.text("name", MOST_NAME);
        String jid = request.text("jid", MOST_NAME);
        long from = request.number("from", 0, 0, Integer.MAX_VALUE);
        // Others may have gone on since, so that the job is further ahead.
        Optional<LimitedJob> parked =
                admin.limits().waiting(name, keyOf(request), Math.max(0, from - AROUND), 2 * AROUND).stream()
                        .filter(job -> jid.equals(job.job().jid()))
                        .findFirst();
        boolean deleted = parked.isPresent() && admin.limits().delete(parked.get());
        Audit.done(request, "delete job " + jid + " at limit " + name, deleted ? 1 : 0);
        return Map.of("changed", deleted);
    }
}
