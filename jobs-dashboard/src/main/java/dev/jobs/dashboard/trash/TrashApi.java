package dev.jobs.dashboard.trash;

import dev.jobs.Internal;
import dev.jobs.admin.ListedJob;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.jobs.Views;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Audit;
import dev.jobs.dashboard.web.ListView;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.dashboard.web.Route;
import dev.jobs.dashboard.web.Shown;
import dev.jobs.trash.Trash;
import dev.jobs.trash.Trash.Deleted;
import dev.jobs.trash.TrashedJob;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The trash: deleted jobs and their restoration. */
@Internal
public final class TrashApi {

    private static final Duration TIME = Duration.ofMillis(60);
    private static final int MOST_CURSOR = 60;
    private static final Pattern BATCH = Pattern.compile("[A-Za-z0-9-]{1,64}");

    private record TrashedView(
            String id, String batch, @Nullable Long deletedAt, Views.JobView job) {}

    /** The progress of a deletion, which is its whole result if it fails. Confined to one thread. */
    public static final class Progress implements Consumer<Deleted> {

        private Deleted soFar = new Deleted(0, 0, 0);

        @Override
        public void accept(Deleted deleted) {
            soFar = deleted;
        }

        public Deleted soFar() {
            return soFar;
        }
    }

    private final JobsAdmin admin;
    private final Views views;

    public TrashApi(JobsAdmin admin, Views views) {
        this.admin = admin;
        this.views = views;
    }

    public Map<String, Route> routes() {
        return Map.of(
                "GET api/trash", Route.look(this::list),
                "POST api/undo", Route.act(this::undo),
                "POST api/trash/restore", Route.act(this::restore),
                "POST api/trash/empty", Route.act(this::empty));
    }

    /** The name of the batch to undo together: that of the request if it continues an action, otherwise a new one. */
    public String batch(ApiRequest request) {
        String given = request.textOrNull("undo", 64);
        if (given == null) {
            return UUID.randomUUID().toString();
        }
        if (!BATCH.matcher(given).matches()) {
            throw Problem.badParameter("undo", "that of the previous answer, or none");
        }
        return given;
    }

    private Object list(ApiRequest request) {
        int size = (int) request.number("size", 25, 1, 100);
        long from = request.number("from", 0, 0, Integer.MAX_VALUE);
        return ListView.of(admin.trash().jobs(from, size), size, this::view);
    }

    private TrashedView view(TrashedJob trashed) {
        return new TrashedView(
                trashed.id(),
                trashed.batch(),
                Shown.millis(trashed.deletedAt()),
                views.job(new ListedJob(trashed.job(), 0)));
    }

    private Object undo(ApiRequest request) {
        String batch = request.text("batch", 64);
        String cursor = request.textOrNull("cursor", MOST_CURSOR);
        return restore(request, "undo a deletion", () -> admin.trash().restoreBatch(batch, cursor, TIME));
    }

    private Object restore(ApiRequest request) {
        Set<String> ids = new HashSet<>(request.texts("ids", 40));
        String cursor = request.textOrNull("cursor", MOST_CURSOR);
        return restore(request, "restore from the trash", () -> admin.trash().restore(ids, cursor, TIME));
    }

    private static Object restore(ApiRequest request, String what, Supplier<Trash.Restored> restoring) {
        Trash.Restored restored = new Trash.Restored(0, null);
        try {
            restored = restoring.get();
        } finally {
            Audit.done(request, what, restored.done());
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("done", restored.done());
        answer.put("cursor", restored.cursor());
        return answer;
    }

    private Object empty(ApiRequest request) {
        long jobs = 0;
        try {
            jobs = admin.trash().empty();
        } finally {
            Audit.done(request, "empty the trash", jobs);
        }
        return Map.of("done", jobs);
    }
}
