package dev.jobs.dashboard.results;

import dev.jobs.Internal;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Route;
import dev.jobs.dashboard.web.Shown;
import dev.jobs.iterations.IterationInfo;
import dev.jobs.results.JobProgress;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a job tells people while it runs, and for a while after its end. */
@Internal
public final class ProgressApi {

    private static final int MOST_ID = 200;
    private static final int LINE = 1_000;
    private static final int CURSOR = 200;

    private record StepsView(
            long done, long total, @Nullable Long at) {}

    private record LineView(@Nullable Long at, String text) {}

    private record IterationView(
            int executions,
            String cursor,
            long runtime,
            @Nullable Long cancelled) {

        static IterationView of(IterationInfo iteration) {
            return new IterationView(
                    iteration.executions(),
                    Shown.cut(iteration.cursor(), CURSOR),
                    iteration.runtime().toMillis(),
                    Shown.millis(iteration.cancelled()));
        }
    }

    private record ProgressView(
            @Nullable StepsView steps,
            List<LineView> lines,
            @Nullable IterationView iteration) {}

    private final JobsAdmin admin;

    public ProgressApi(JobsAdmin admin) {
        this.admin = admin;
    }

    public Map<String, Route> routes() {
        return Map.of("GET api/progress", Route.look(this::progress));
    }

    private Object progress(ApiRequest request) {
        String jid = request.text("jid", MOST_ID);
        JobProgress progress = admin.progress(jid);
        return new ProgressView(
                progress.steps()
                        .map(steps -> new StepsView(steps.done(), steps.total(), Shown.millis(steps.at())))
                        .orElse(null),
                progress.lines().stream()
                        .map(line -> new LineView(Shown.millis(line.at()), Shown.cut(line.text(), LINE)))
                        .toList(),
                admin.iteration(jid).map(IterationView::of).orElse(null));
    }

    /** Whether a job told anything that is still kept. */
    public static boolean hasAny(JobsAdmin admin, String jid) {
        JobProgress progress = admin.progress(jid);
        return progress.steps().isPresent()
                || !progress.lines().isEmpty()
                || admin.iteration(jid).isPresent();
    }
}
