package dev.jobs.dashboard;

import dev.jobs.admin.JobsAdmin;
import dev.jobs.admin.PlacedJob;
import dev.jobs.admin.Trash;
import dev.jobs.admin.TrashedJob;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Deleted jobs and their restoration. */
final class Undo {

    private static final Duration TIME = Duration.ofMillis(400);
    private static final Pattern BATCH = Pattern.compile("[A-Za-z0-9-]{1,64}");

    private record TrashedView(
            String id, String batch, @Nullable Long deletedAt, Views.JobView job) {}

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

    /** The name of the batch to undo together: that of the call if it continues an action, otherwise a new one. */
    String batch(Call call) {
        String given = call.textOrNull("undo", 64);
        if (given == null) {
            return UUID.randomUUID().toString();
        }
        if (!BATCH.matcher(given).matches()) {
            throw Problem.badParameter("undo", "that of the previous answer, or none");
        }
        return given;
    }

    private Object list(Call call) {
        int size = (int) call.number("size", 25, 1, 100);
        long from = call.number("from", 0, 0, Integer.MAX_VALUE);
        return Views.ListView.of(admin.trash().jobs(from, size), size, this::view);
    }

    private TrashedView view(TrashedJob trashed) {
        return new TrashedView(
                trashed.id(),
                trashed.batch(),
                Views.millis(trashed.deletedAt()),
                views.job(new PlacedJob(trashed.job(), 0)));
    }

    private Object undo(Call call) {
        String batch = call.text("batch", 64);
        return restore(call, "undo a deletion", () -> admin.trash().restoreBatch(batch, TIME));
    }

    private Object restore(Call call) {
        Set<String> ids = new HashSet<>(call.texts("ids", 40));
        return restore(call, "restore from the trash", () -> admin.trash().restore(ids, TIME));
    }

    private static Object restore(Call call, String what, Supplier<Trash.Restored> restoring) {
        Trash.Restored restored = new Trash.Restored(0, false);
        try {
            restored = restoring.get();
        } finally {
            Audit.done(call, what, restored.done());
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("done", restored.done());
        answer.put("cursor", restored.more() ? "more" : null);
        return answer;
    }

    private Object empty(Call call) {
        long jobs = 0;
        try {
            jobs = admin.trash().empty();
        } finally {
            Audit.done(call, "empty the trash", jobs);
        }
        return Map.of("done", jobs);
    }
}
