package dev.jobs.dashboard;

import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.admin.BulkStep;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.JobsAdmin;
import dev.jobs.admin.PlacedJob;
import dev.jobs.admin.RunResult;
import dev.jobs.admin.Trash;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What can be done to jobs, to some or to all that match. */
final class ActionsApi {

    private static final Duration STEP = Duration.ofMillis(400);
    private static final int MOST_KEY = 100;
    private static final int MOST_CURSOR = 200;
    private static final int MOST_REASONS = 5;

    /** The year 9999. */
    private static final long LATEST = 253_402_300_799_999L;

    private static final String SCHEDULED = "scheduled";
    private static final String RETRIES = "retries";
    private static final String DEAD = "dead";

    private record Answer(
            long done,
            long gone,
            long kept,
            @Nullable String undo,
            @Nullable String cursor,
            List<String> reasons) {}

    /** What is done to a job of a set. */
    private interface Action {
        /** Returns whether it was done, null if the job stays though it is there. */
        @Nullable Boolean apply(JobSet set, JobRecord job);
    }

    /** A step of what is done to all that match. */
    private interface Step {
        BulkStep take(JobSet set, Predicate<JobRecord> wanted, @Nullable String cursor);
    }

    private final JobsAdmin admin;
    private final Views views;
    private final Finder finder;
    private final Undo undo;

    ActionsApi(JobsAdmin admin, Views views, Finder finder, Undo undo) {
        this.admin = admin;
        this.views = views;
        this.finder = finder;
        this.undo = undo;
    }

    Map<String, Route> routes() {
        return Map.of(
                "POST api/jobs/run", Route.act(this::run),
                "POST api/jobs/delete", Route.act(this::delete),
                "POST api/jobs/kill", Route.act(this::kill),
                "POST api/jobs/reschedule", Route.act(this::reschedule));
    }

    private Object run(Call call) {
        JobSet set = Place.set(call, SCHEDULED, RETRIES, DEAD);
        if (call.has("matching")) {
            return matching(call, set, "run", null, (from, wanted, cursor) -> admin.bulk()
                    .run(from, wanted, cursor, STEP));
        }
        return selected(call, set, "run", (from, job) -> {
            RunResult result = admin.runNow(from, job.bytes());
            return result == RunResult.VETOED ? null : Boolean.valueOf(result == RunResult.ENQUEUED);
        });
    }

    private Object kill(Call call) {
        JobSet set = Place.set(call, SCHEDULED, RETRIES);
        if (call.has("matching")) {
            return matching(call, set, "kill", null, (from, wanted, cursor) -> admin.bulk()
                    .kill(from, wanted, cursor, STEP));
        }
        return selected(call, set, "kill", (from, job) -> admin.kill(from, job.bytes()));
    }

    private Object reschedule(Call call) {
        JobSet set = Place.set(call, SCHEDULED, RETRIES);
        if (!call.has("at")) {
            throw Problem.badParameter("at", "milliseconds since 1970");
        }
        Instant at = Instant.ofEpochMilli(call.number("at", 0, 0, LATEST));
        return selected(call, set, "reschedule", (from, job) -> admin.reschedule(from, job.bytes(), at));
    }

    private Object delete(Call call) {
        Place place = Place.of(call);
        String batch = undo.batch(call);
        JobSet set = place.set();
        if (call.has("matching")) {
            if (set == null) {
                throw Problem.badParameter("place", "a set; a queue can be cleared as a whole");
            }
            return matching(call, set, "delete", batch, (from, wanted, cursor) -> admin.bulk()
                    .trash(from, wanted, batch, cursor, STEP));
        }
        List<String> keys = call.texts("keys", MOST_KEY);
        List<PlacedJob> found = finder.all(place, keys);
        Trash.Deleted deleted = set != null
                ? admin.trash().delete(set, found.stream().map(PlacedJob::job).toList(), batch)
                : admin.trash().delete(place.queue(), found, batch);
        Audit.done(call, "delete in " + place.label(), deleted.done());
        long asked = new HashSet<>(keys).size();
        return new Answer(
                deleted.done(),
                Math.max(0, asked - found.size()) + deleted.gone(),
                Math.max(0, found.size() - deleted.done() - deleted.gone()),
                deleted.restorable() > 0 ? batch : null,
                null,
                List.of());
    }

    private Object selected(Call call, JobSet set, String what, Action action) {
        List<String> keys = call.texts("keys", MOST_KEY);
        Place place = Place.of(set);
        List<PlacedJob> found = finder.all(place, keys);
        long done = 0;
        long gone = Math.max(0, new HashSet<>(keys).size() - found.size());
        long kept = 0;
        Set<String> reasons = new LinkedHashSet<>();
        try {
            for (PlacedJob placed : found) {
                Boolean result = null;
                try {
                    result = action.apply(set, placed.job());
                    if (result == null) {
                        reasons.add("A middleware keeps it from being enqueued");
                    }
                } catch (JobStoreException e) {
                    throw e;
                } catch (JobsException e) {
                    reasons.add(String.valueOf(e.getMessage()));
                } catch (RuntimeException e) {
                    reasons.add(
                            "A middleware failed with " + e.getClass().getName()); // its message is not ours to show
                }
                done += Boolean.TRUE.equals(result) ? 1 : 0;
                gone += Boolean.FALSE.equals(result) ? 1 : 0;
                kept += result == null ? 1 : 0;
            }
        } finally {
            Audit.done(call, what + " in " + place.label(), done);
        }
        return new Answer(
                done,
                gone,
                kept,
                null,
                null,
                reasons.stream().limit(MOST_REASONS).toList());
    }

    private Object matching(Call call, JobSet set, String what, @Nullable String batch, Step step) {
        Filter filter = Filter.of(call.inside("matching"), false);
        BulkStep taken = step.take(set, filter.on(views), call.textOrNull("cursor", MOST_CURSOR));
        Audit.done(call, what + " in " + Place.of(set).label() + " (" + filter + ")", taken.done());
        boolean undoable = batch != null && (taken.done() > 0 || call.has("undo"));
        return new Answer(
                taken.done(),
                0,
                taken.kept(),
                undoable ? Objects.requireNonNull(batch) : null,
                taken.cursor(),
                List.of());
    }
}
