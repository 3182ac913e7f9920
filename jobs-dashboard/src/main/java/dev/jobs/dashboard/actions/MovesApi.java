package dev.jobs.dashboard.actions;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.admin.BulkResult;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.jobs.ActionAnswer.Reason;
import dev.jobs.dashboard.jobs.Filter;
import dev.jobs.dashboard.jobs.Finder;
import dev.jobs.dashboard.jobs.JobPlace;
import dev.jobs.dashboard.jobs.Views;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Audit;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.dashboard.web.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Moves jobs to another queue: those of a queue to its end, those of a set for the time when they are due. */
@Internal
public final class MovesApi {

    private static final Duration STEP = Duration.ofMillis(400);
    private static final int MOST_KEY = 100;
    private static final int MOST_CURSOR = 200;
    private static final int MOST_REASONS = 5;
    private static final String DEFAULT = "default";

    /**
     * What became of some jobs.
     *
     * @param cursor where the next step goes on with all of a place, or null after the last one
     * @param left the addresses of those for which there was no time
     * @param back the addresses of the moved ones by the queue that they were in; empty for all of a place
     */
    private record Moved(
            long done,
            long gone,
            long kept,
            @Nullable String cursor,
            List<String> left,
            List<Reason> reasons,
            List<Back> back) {}

    private record Back(String to, List<String> keys) {}

    private final JobsAdmin admin;
    private final Views views;
    private final Finder finder;
    private final TargetQueues targets;

    public MovesApi(JobsAdmin admin, Views views, Finder finder, TargetQueues targets) {
        this.admin = admin;
        this.views = views;
        this.finder = finder;
        this.targets = targets;
    }

    public Map<String, Route> routes() {
        return Map.of("POST api/jobs/move", Route.act(this::move));
    }

    private Object move(ApiRequest request) {
        JobPlace place = JobPlace.of(request);
        if (place.set() == JobSet.DEAD) {
            throw Problem.badParameter("place", "one of queue, scheduled, retries");
        }
        String to = request.text("to", ApiRequest.MOST_NAME);
        targets.require(to);
        return request.has("matching") ? all(request, place, to) : selected(request, place, to);
    }

    private Object all(ApiRequest request, JobPlace place, String to) {
        JobSet set = place.set();
        Filter filter = Filter.of(request.inside("matching"), set == null);
        String cursor = request.textOrNull("cursor", MOST_CURSOR);
        if (set == null && !filter.isEmpty()) {
            throw Problem.badParameter("matching", "empty: a queue is moved as a whole");
        }
        BulkResult step = new BulkResult(0, 0, 0, null);
        try {
            step = set == null
                    ? admin.queues().moveAll(place.queue(), to, cursor, STEP)
                    : admin.sets().all(set, filter.on(views)).step(cursor, STEP).move(to);
        } finally {
            Audit.done(request, "move to queue " + to + " in " + place.label() + " (" + filter + ")", step.done());
        }
        return new Moved(
                step.done(),
                0,
                step.kept(),
                step.cursor(),
                List.of(),
                step.kept() > 0 ? List.of(Reason.STAYED) : List.of(),
                List.of());
    }

    /** As many as there is time for; those of a queue in the order in which they would be taken. */
    private Object selected(ApiRequest request, JobPlace place, String to) {
        Finder.Selection found = finder.all(place, request.texts("keys", MOST_KEY));
        List<ListedJob> jobs = new ArrayList<>(found.jobs());
        if (place.set() == null) {
            jobs.sort(Comparator.comparingLong(ListedJob::index));
        }
        long start = System.nanoTime();
        long gone = found.partial() ? 0 : found.missing();
        long kept = found.missing() - gone;
        List<Reason> reasons = new ArrayList<>(kept > 0 ? List.of(Reason.NOT_FOUND_IN_TIME) : List.of());
        List<Pair> moved = new ArrayList<>();
        int tried = 0;
        try {
            while (tried < jobs.size() && (tried == 0 || System.nanoTime() - start < STEP.toNanos())) {
                ListedJob listed = jobs.get(tried++);
                try {
                    JobRecord now = moved(place, listed.job(), to);
                    if (now == null) {
                        gone++;
                    } else {
                        moved.add(new Pair(listed, now));
                    }
                } catch (JobStoreException e) {
                    throw e;
                } catch (RuntimeException e) {
                    kept++;
                    reasons.add(Reason.of(listed.job(), e));
                }
            }
        } finally {
            Audit.done(request, "move to queue " + to + " in " + place.label(), moved.size());
        }
        List<String> left = jobs.subList(tried, jobs.size()).stream()
                .map(listed -> JobPlace.key(listed, listed.job().digest()))
                .toList();
        return new Moved(
                moved.size(),
                gone,
                kept,
                null,
                left,
                reasons.stream().distinct().limit(MOST_REASONS).toList(),
                back(place, moved, to));
    }

    /** A job before and after its move. */
    private record Pair(ListedJob before, JobRecord after) {}

    private @Nullable JobRecord moved(JobPlace place, JobRecord job, String to) {
        JobSet set = place.set();
        return set == null
                ? admin.queues().move(place.queue(), job.bytes(), to)
                : admin.sets().move(set, job.bytes(), to);
    }

    /** In a queue they are now the last ones, in a set where they were. */
    private List<Back> back(JobPlace place, List<Pair> moved, String to) {
        long last = place.set() != null || moved.isEmpty()
                ? 0
                : admin.queues().find(to).map(queue -> queue.size() - 1).orElse(0L);
        Map<String, List<String>> keys = new LinkedHashMap<>();
        for (Pair pair : moved) {
            String queue = pair.before().job().queue();
            long index = place.set() == null ? Math.max(0, last) : pair.before().index();
            ListedJob now = new ListedJob(pair.after(), index);
            keys.computeIfAbsent(queue == null || queue.isEmpty() ? DEFAULT : queue, each -> new ArrayList<>())
                    .add(JobPlace.key(now, pair.after().digest()));
        }
        return keys.entrySet().stream()
                .map(each -> new Back(each.getKey(), each.getValue()))
                .toList();
    }
}
