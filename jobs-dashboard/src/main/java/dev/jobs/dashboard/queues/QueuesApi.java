package dev.jobs.dashboard.queues;

import dev.jobs.Internal;
import dev.jobs.admin.BudgetedScan;
import dev.jobs.admin.Page;
import dev.jobs.admin.QueueInfo;
import dev.jobs.admin.Workforce;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.live.Sampler;
import dev.jobs.dashboard.trash.TrashApi;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Audit;
import dev.jobs.dashboard.web.ListView;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.dashboard.web.Route;
import dev.jobs.ordered.OrderedJobs;
import dev.jobs.trash.Trash.Deleted;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Queues as a whole. */
@Internal
public final class QueuesApi {

    private static final Comparator<QueueInfo> OLDEST_FIRST =
            Comparator.comparing(QueueInfo::latency).reversed().thenComparing(QueueInfo::name);

    private record OneQueue(
            String name,
            long size,
            long latency,
            boolean paused,
            boolean broken,
            int workers,
            boolean clearUndo,
            @Nullable String order,
            long inOrder,
            List<KeyView> keys,
            long keyCount) {}

    /** A key that takes turns with others, and in how many rounds its last job starts. */
    private record KeyView(String key, long rounds) {}

    private final JobsAdmin admin;
    private final TrashApi trash;

    public QueuesApi(JobsAdmin admin, TrashApi trash) {
        this.admin = admin;
        this.trash = trash;
    }

    public Map<String, Route> routes() {
        return Map.of(
                "GET api/queues", Route.look(this::list),
                "GET api/queue", Route.look(this::one),
                "POST api/queue/pause", Route.act(this::pause),
                "POST api/queue/resume", Route.act(this::resume),
                "POST api/queue/clear", Route.act(this::clear));
    }

    private Object list(ApiRequest request) {
        int size = (int) request.number("size", 25, 1, 100);
        long from = request.number("from", 0, 0, Integer.MAX_VALUE);
        String text = request.textOrNull("text", ApiRequest.MOST_NAME);
        Predicate<String> wanted = name -> text == null || name.contains(text);
        boolean turned = request.flag("turned");
        Page<QueueInfo> page =
                switch (request.word("sort", "name", "size", "latency")) {
                    case "size" ->
                        page(
                                admin.queues().sizes().entrySet().stream()
                                        .filter(queue -> wanted.test(queue.getKey()))
                                        .sorted(Sampler.LARGEST_FIRST)
                                        .map(Map.Entry::getKey),
                                turned,
                                from,
                                size,
                                admin.queues()::named);
                    // needs more of every queue than its size, and then nothing else of those on the page
                    case "latency" ->
                        page(
                                admin.queues().all().stream()
                                        .filter(queue -> wanted.test(queue.name()))
                                        .sorted(OLDEST_FIRST),
                                turned,
                                from,
                                size,
                                some -> some);
                    default ->
                        page(
                                admin.queues().sizes().keySet().stream().filter(wanted),
                                turned,
                                from,
                                size,
                                admin.queues()::named);
                };
        Workforce workforce = admin.processes().workforce();
        return ListView.of(page, size, queue -> Sampler.QueueView.of(queue, workforce));
    }

    /** @param read the queues on the page */
    private static <T> Page<QueueInfo> page(
            Stream<T> sorted, boolean turned, long from, int size, Function<List<T>, List<QueueInfo>> read) {
        List<T> all = new ArrayList<>(sorted.toList());
        if (turned) {
            Collections.reverse(all);
        }
        int begin = (int) BudgetedScan.begin(from, size, all.size());
        int end = Math.min(begin + size, all.size());
        return new Page<>(read.apply(all.subList(begin, end)), begin, end < all.size() ? end : -1, all.size(), false);
    }

    private Object one(ApiRequest request) {
        String name = request.text("name", ApiRequest.MOST_NAME);
        Workforce workforce = admin.processes().workforce();
        // no job was enqueued to it yet, but a worker serves it, or it is already paused
        boolean expected =
                !workforce.serving(name).isEmpty() || admin.queues().paused().contains(name);
        QueueInfo queue = admin.queues()
                .find(name)
                .or(() -> expected
                        ? Optional.of(admin.queues().named(List.of(name)).get(0))
                        : Optional.empty())
                .orElseThrow(() -> Problem.notFound("No job was ever in that queue, and no live worker serves it"));
        Sampler.QueueView view = Sampler.QueueView.of(queue, workforce);
        OrderedJobs ordered =
                queue.orderedBy() == null ? OrderedJobs.NONE : admin.ordered().jobs(name);
        return new OneQueue(
                view.name(),
                view.size(),
                view.latency(),
                view.paused(),
                view.broken(),
                view.workers(),
                admin.trash().wouldKeep(queue),
                view.order(),
                ordered.waiting(),
                ordered.longest().stream()
                        .map(each -> new KeyView(each.key(), each.rounds()))
                        .toList(),
                ordered.keys());
    }

    private Object pause(ApiRequest request) {
        String queue = request.text("queue", ApiRequest.MOST_NAME);
        return Map.of("changed", Audit.changing(request, "pause queue " + queue, () -> admin.queues()
                .pause(queue)));
    }

    private Object resume(ApiRequest request) {
        String queue = request.text("queue", ApiRequest.MOST_NAME);
        return Map.of("changed", Audit.changing(request, "resume queue " + queue, () -> admin.queues()
                .resume(queue)));
    }

    private Object clear(ApiRequest request) {
        String name = request.text("queue", ApiRequest.MOST_NAME);
        boolean undoable = !request.has("undoable") || request.flag("undoable");
        QueueInfo queue =
                admin.queues().find(name).orElseThrow(() -> Problem.notFound("No job was ever in that queue"));
        String batch = trash.batch(request);
        TrashApi.Progress deletion = new TrashApi.Progress();
        try {
            if (undoable && queue.broken()) {
                throw changed("The key of the queue holds another type, which can't be restored");
            }
            if (queue.broken() || queue.size() == 0) {
                if (!admin.queues().forget(name)) {
                    throw changed("There are jobs in the queue now");
                }
            } else if (undoable) {
                if (admin.trash().clear(name, batch, deletion).isEmpty()) {
                    throw changed("The queue is too large to be restored");
                }
            } else {
                deletion.accept(new Deleted(admin.queues().clear(name), 0, 0));
            }
        } finally {
            Audit.done(request, "clear queue " + name, deletion.soFar().done());
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("done", deletion.soFar().done());
        answer.put("restorable", deletion.soFar().restorable());
        answer.put("undo", deletion.soFar().restorable() > 0 ? batch : null);
        return answer;
    }

    /** The state that the user confirmed has changed. */
    private static Problem changed(String message) {
        return new Problem(409, "changed", message + ", so nothing was done");
    }
}
