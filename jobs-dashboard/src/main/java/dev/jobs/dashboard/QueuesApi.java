package dev.jobs.dashboard;

import dev.jobs.admin.JobsAdmin;
import dev.jobs.admin.Page;
import dev.jobs.admin.QueueInfo;
import dev.jobs.admin.Trash.Deleted;
import dev.jobs.admin.Workforce;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Queues as a whole. */
final class QueuesApi {

    static final Comparator<Map.Entry<String, Long>> LARGEST_FIRST =
            Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey());

    private record OneQueue(
            String name, long size, long latency, boolean paused, boolean broken, int workers, boolean clearUndo) {}

    private final JobsAdmin admin;
    private final TrashApi trash;

    QueuesApi(JobsAdmin admin, TrashApi trash) {
        this.admin = admin;
        this.trash = trash;
    }

    Map<String, Route> routes() {
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
        String text = request.textOrNull("text", JobLocation.MOST_NAME);
        List<String> wanted = names(request.word("sort", "name", "size", "latency"))
                .filter(name -> text == null || name.contains(text))
                .toList();
        int begin = (int) Math.min(from, wanted.size());
        int end = Math.min(begin + size, wanted.size());
        Workforce workforce = admin.processes().workforce();
        Page<QueueInfo> page = new Page<>(
                admin.queues().named(wanted.subList(begin, end)),
                begin,
                end < wanted.size() ? end : -1,
                wanted.size(),
                false);
        return Views.ListView.of(page, size, queue -> Sampler.QueueView.of(queue, workforce));
    }

    /** Only sorting by latency needs more of every queue than its size. */
    private Stream<String> names(String sort) {
        return switch (sort) {
            case "size" ->
                admin.queues().sizes().entrySet().stream().sorted(LARGEST_FIRST).map(Map.Entry::getKey);
            case "latency" ->
                admin.queues().all().stream()
                        .sorted(Comparator.comparing(QueueInfo::latency)
                                .reversed()
                                .thenComparing(QueueInfo::name))
                        .map(QueueInfo::name);
            default -> admin.queues().sizes().keySet().stream();
        };
    }

    private Object one(ApiRequest request) {
        String name = request.text("name", JobLocation.MOST_NAME);
        Workforce workforce = admin.processes().workforce();
        // no job was enqueued to it yet, but a worker serves it, or it is already paused
        boolean expected =
                !workforce.serving(name).isEmpty() || admin.queues().paused().contains(name);
        QueueInfo queue = admin.queues()
                .find(name)
                .or(() -> expected
                        ? Optional.of(new QueueInfo(
                                name, 0, Duration.ZERO, admin.queues().paused().contains(name), false))
                        : Optional.empty())
                .orElseThrow(() -> Problem.notFound("No job was ever in that queue"));
        Sampler.QueueView view = Sampler.QueueView.of(queue, workforce);
        return new OneQueue(
                view.name(),
                view.size(),
                view.latency(),
                view.paused(),
                view.broken(),
                view.workers(),
                admin.trash().wouldKeep(queue));
    }

    private Object pause(ApiRequest request) {
        String queue = request.text("queue", JobLocation.MOST_NAME);
        boolean changed = admin.queues().pause(queue);
        Audit.done(request, "pause queue " + queue, changed ? 1 : 0);
        return Map.of("changed", changed);
    }

    private Object resume(ApiRequest request) {
        String queue = request.text("queue", JobLocation.MOST_NAME);
        boolean changed = admin.queues().resume(queue);
        Audit.done(request, "resume queue " + queue, changed ? 1 : 0);
        return Map.of("changed", changed);
    }

    private Object clear(ApiRequest request) {
        String name = request.text("queue", JobLocation.MOST_NAME);
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
