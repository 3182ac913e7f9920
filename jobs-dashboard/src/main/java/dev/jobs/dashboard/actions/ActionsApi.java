package dev.jobs.dashboard.actions;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.admin.BulkResult;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.MatchingJobs;
import dev.jobs.admin.RunResult;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.jobs.ActionAnswer;
import dev.jobs.dashboard.jobs.ActionAnswer.Reason;
import dev.jobs.dashboard.jobs.Filter;
import dev.jobs.dashboard.jobs.Finder;
import dev.jobs.dashboard.jobs.JobPlace;
import dev.jobs.dashboard.jobs.Views;
import dev.jobs.dashboard.limits.LimitsApi;
import dev.jobs.dashboard.trash.TrashApi;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Audit;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.dashboard.web.Route;
import dev.jobs.limits.LimitedJob;
import dev.jobs.trash.Trash.Deleted;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Actions on jobs: on some, or on all that match. */
@Internal
public final class ActionsApi {

    private static final Duration STEP = Duration.ofMillis(400);
    private static final int MOST_KEY = 100;
    private static final int MOST_CURSOR = 200;

    /** The year 9999. */
    private static final long LATEST = 253_402_300_799_999L;

    private static final String SCHEDULED = "scheduled";
    private static final String RETRIES = "retries";
    private static final String DEAD = "dead";

    /** An action on a job of a set. */
    private interface Action {
        /** Returns whether it was done, or null if the job is there but stays. */
        @Nullable Boolean apply(JobSet set, JobRecord job);
    }

    /** An action on all matching jobs. */
    private interface BulkAction {
        BulkResult apply(MatchingJobs jobs);
    }

    private final JobsAdmin admin;
    private final Views views;
    private final Finder finder;
    private final TrashApi trash;

    public ActionsApi(JobsAdmin admin, Views views, Finder finder, TrashApi trash) {
        this.admin = admin;
        this.views = views;
        this.finder = finder;
        this.trash = trash;
    }

    public Map<String, Route> routes() {
        return Map.of(
                "POST api/jobs/run", Route.act(this::run),
                "POST api/jobs/delete", Route.act(this::delete),
                "POST api/jobs/kill", Route.act(this::kill),
                "POST api/jobs/reschedule", Route.act(this::reschedule));
    }

    private Object run(ApiRequest request) {
        JobSet set = JobPlace.set(request, SCHEDULED, RETRIES, DEAD);
        if (request.has("matching")) {
            return matching(request, set, "run", null, MatchingJobs::run);
        }
        return selected(request, set, "run", (from, job) -> {
            RunResult result = admin.sets().runNow(from, job.bytes());
            return result == RunResult.VETOED ? null : Boolean.valueOf(result == RunResult.ENQUEUED);
        });
    }

    private Object kill(ApiRequest request) {
        JobSet set = JobPlace.set(request, SCHEDULED, RETRIES);
        if (request.has("matching")) {
            return matching(request, set, "kill", null, MatchingJobs::kill);
        }
        return selected(request, set, "kill", (from, job) -> admin.sets().kill(from, job.bytes()));
    }

    private Object reschedule(ApiRequest request) {
        JobSet set = JobPlace.set(request, SCHEDULED, RETRIES);
        if (!request.has("at")) {
            throw Problem.badParameter("at", "milliseconds since 1970");
        }
        Instant at = Instant.ofEpochMilli(request.number("at", 0, 0, LATEST));
        String what = "reschedule to " + at;
        if (request.has("matching")) {
            return matching(request, set, what, null, jobs -> jobs.reschedule(at));
        }
        return selected(request, set, what, (from, job) -> admin.sets().reschedule(from, job.bytes(), at));
    }

    private Object delete(ApiRequest request) {
        if (Views.PARKED.equals(request.textOrNull("place", ApiRequest.MOST_NAME))) {
            return deleteParked(request);
        }
        JobPlace place = JobPlace.of(request);
        String batch = trash.batch(request);
        JobSet set = place.set();
        if (request.has("matching")) {
            if (set == null) {
                throw Problem.badParameter("place", "a set; a queue can be cleared as a whole");
            }
            return matching(request, set, "delete", batch, jobs -> jobs.trash(batch));
        }
        Finder.Selection found = finder.all(place, request.texts("keys", MOST_KEY));
        TrashApi.Progress deletion = new TrashApi.Progress();
        try {
            if (set != null) {
                List<JobRecord> jobs = found.jobs().stream().map(ListedJob::job).toList();
                admin.trash().delete(set, jobs, batch, deletion);
            } else {
                admin.trash().delete(place.queue(), found.jobs(), batch, deletion);
            }
        } finally {
            Audit.done(request, "delete in " + place.label(), deletion.soFar().done());
        }
        Deleted all = deletion.soFar();
        long refused = Math.max(0, found.jobs().size() - all.done() - all.gone());
        List<Reason> reasons = new ArrayList<>(unfound(found));
        if (refused > 0) {
            reasons.add(Reason.REFUSED);
        }
        return new ActionAnswer(
                all.done(),
                all.gone() + gone(found),
                refused + found.missing() - gone(found),
                all.restorable(),
                all.restorable() > 0 ? batch : null,
                null,
                reasons);
    }

    private Object deleteParked(ApiRequest request) {
        String batch = trash.batch(request);
        List<String> keys = request.texts("keys", MOST_KEY);
        List<LimitedJob> found = keys.stream()
                .flatMap(key -> LimitsApi.parked(admin, request, key).stream())
                .toList();
        TrashApi.Progress deletion = new TrashApi.Progress();
        try {
            admin.trash().delete(found, batch, deletion);
        } finally {
            Audit.done(
                    request,
                    "delete at limit " + request.text("limit", ApiRequest.MOST_NAME),
                    deletion.soFar().done());
        }
        Deleted all = deletion.soFar();
        long refused = Math.max(0, found.size() - all.done() - all.gone());
        return new ActionAnswer(
                all.done(),
                all.gone() + keys.size() - found.size(),
                refused,
                all.restorable(),
                all.restorable() > 0 ? batch : null,
                null,
                refused > 0 ? List.of(Reason.REFUSED) : List.of());
    }

    /** Jobs are not counted as gone if the search ran out of time. */
    private static long gone(Finder.Selection found) {
        return found.partial() ? 0 : found.missing();
    }

    private static List<Reason> unfound(Finder.Selection found) {
        return found.partial() && found.missing() > 0 ? List.of(Reason.NOT_FOUND_IN_TIME) : List.of();
    }

    private Object selected(ApiRequest request, JobSet set, String what, Action action) {
        JobPlace place = JobPlace.of(set);
        Finder.Selection found = finder.all(place, request.texts("keys", MOST_KEY));
        long done = 0;
        long gone = gone(found);
        long kept = found.missing() - gone;
        List<Reason> reasons = new ArrayList<>(unfound(found));
        try {
            for (ListedJob listed : found.jobs()) {
                Boolean result = null;
                try {
                    result = action.apply(set, listed.job());
                    if (result == null) {
                        reasons.add(Reason.VETOED);
                    }
                } catch (JobStoreException e) {
                    throw e;
                } catch (RuntimeException e) {
                    reasons.add(Reason.of(listed.job(), e));
                }
                done += Boolean.TRUE.equals(result) ? 1 : 0;
                gone += Boolean.FALSE.equals(result) ? 1 : 0;
                kept += result == null ? 1 : 0;
            }
        } finally {
            Audit.done(request, what + " in " + place.label(), done);
        }
        return new ActionAnswer(done, gone, kept, 0, null, null, reasons);
    }

    private Object matching(ApiRequest request, JobSet set, String what, @Nullable String batch, BulkAction action) {
        Filter filter = Filter.of(request.inside("matching"), false);
        String cursor = request.textOrNull("cursor", MOST_CURSOR);
        BulkResult step = new BulkResult(0, 0, 0, null);
        try {
            step = action.apply(admin.sets().all(set, filter.on(views)).step(cursor, STEP));
        } finally {
            Audit.done(request, what + " in " + JobPlace.of(set).label() + " (" + filter + ")", step.done());
        }
        boolean undoable = batch != null && (step.done() > 0 || request.has("undo"));
        return new ActionAnswer(
                step.done(),
                0,
                step.kept(),
                step.restorable(),
                undoable ? batch : null,
                step.cursor(),
                step.kept() > 0 ? List.of(Reason.STAYED) : List.of());
    }
}
