package dev.jobs.dashboard;

import dev.jobs.admin.JobsAdmin;
import dev.jobs.admin.PlacedJob;
import dev.jobs.admin.Trash;
import dev.jobs.admin.TrashedJob;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;

/** Deleted jobs, and taking them back. */
final class Undo {

    private static final Duration TIME = Duration.ofMillis(400);
    private static final Pattern BATCH = Pattern.compile("[A-Za-z0-9-]{1,64}");

    private record TrashedView(
            String id,
            String batch,
            @org.jspecify.annotations.Nullable Long deletedAt,
            Views.JobView job) {}

    private final JobsAdmin admin;
    private final Views views;

    Undo(JobsAdmin admin, Views views) {
        this.admin = admin;
        this.views = views;
    }

    Map<String, Route> routes() {
        return Map.of(
                "GET api/trash", Route.look(this::list),
                "POST api/undo", Route.act(this::undo),
                "POST api/trash/restore", Route.act(this::restore),
                "POST api/trash/empty", Route.act(this::empty));
    }

    /** The name of what is undone together: that of the call, if it goes on with something, or a new one. */
    String batch(Call call) {
        String given = call.textOrNull("undo", 64);
        if (given == null) {
            return UUID.randomUUID().toString();
        }
        if (!BATCH.matcher(given).matches()) {
            throw Problem.badParameter("undo", "that of the answer before, or none");
        }
        return given;
    }

    private Object list(Call call) {
        int size = (int) call.number("size", 25, 1, 100);
        long from = call.number("from", 0, 0, Integer.MAX_VALUE);
        return Views.ListView.of(admin.trash().list(from, size), size, this::view);
    }

    private TrashedView view(TrashedJob trashed) {
        return new TrashedView(
                trashed.id(),
                trashed.batch(),
                Views.millis(trashed.deletedAt()),
                views.job(new PlacedJob(trashed.job(), 0)));
    }

    private Object undo(Call call) {
        Trash.Restored restored = admin.trash().restoreBatch(call.text("batch", 64), TIME);
        Audit.done(call, "undo a deletion", restored.done());
        return answer(restored);
    }

    private Object restore(Call call) {
        Trash.Restored restored = admin.trash().restore(new HashSet<>(call.texts("ids", 40)), TIME);
        Audit.done(call, "restore from the trash", restored.done());
        return answer(restored);
    }

    private static Object answer(Trash.Restored restored) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("done", restored.done());
        answer.put("cursor", restored.more() ? "more" : null);
        return answer;
    }

    private Object empty(Call call) {
        long jobs = admin.trash().empty();
        Audit.done(call, "empty the trash", jobs);
        return Map.of("done", jobs);
    }
}
