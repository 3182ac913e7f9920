package dev.jobs.dashboard;

import dev.jobs.admin.JobsAdmin;
import dev.jobs.admin.QueueInfo;
import dev.jobs.admin.Slice;
import dev.jobs.admin.Trash;
import dev.jobs.admin.Workforce;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Queues as a whole. */
final class QueuesApi {

    private static final Comparator<QueueInfo> BY_NAME = Comparator.comparing(QueueInfo::name);

    private record OneQueue(
            String name, long size, long latency, boolean paused, boolean broken, int workers, boolean clearUndo) {}

    private final JobsAdmin admin;
    private final Undo undo;

    QueuesApi(JobsAdmin admin, Undo undo) {
        this.admin = admin;
        this.undo = undo;
    }

    Map<String, Route> routes() {
        return Map.of(
                "GET api/queues", Route.look(this::list),
                "GET api/queue", Route.look(this::one),
                "POST api/queue/pause", Route.act(this::pause),
                "POST api/queue/resume", Route.act(this::resume),
                "POST api/queue/clear", Route.act(this::clear));
    }

    private Object list(Call call) {
        int size = (int) call.number("size", 25, 1, 100);
        long from = call.number("from", 0, 0, Integer.MAX_VALUE);
        String text = call.textOrNull("text", Place.MOST_NAME);
        List<QueueInfo> wanted = admin.queues().stream()
                .filter(queue -> text == null || queue.name().contains(text))
                .sorted(order(call.word("sort", "name", "size", "latency")))
                .toList();
        int begin = (int) Math.min(from, wanted.size());
        int end = Math.min(begin + size, wanted.size());
        Workforce workforce = admin.workforce();
        Slice<QueueInfo> slice =
                new Slice<>(wanted.subList(begin, end), begin, end < wanted.size() ? end : -1, wanted.size(), false);
        return Views.ListView.of(slice, size, queue -> Sampler.QueueView.of(queue, workforce));
    }

    private static Comparator<QueueInfo> order(String sort) {
        return switch (sort) {
            case "size" -> Comparator.comparingLong(QueueInfo::size).reversed().thenComparing(BY_NAME);
            case "latency" ->
                Comparator.comparing(QueueInfo::latency).reversed().thenComparing(BY_NAME);
            default -> BY_NAME;
        };
    }

    private Object one(Call call) {
        String name = call.text("name", Place.MOST_NAME);
        Workforce workforce = admin.workforce();
        // nobody has enqueued to it yet, but a worker waits for that, or somebody has paused it already
        boolean expected = !workforce.serving(name).isEmpty() || admin.paused().contains(name);
        QueueInfo queue = known(name)
                .or(() -> expected
                        ? Optional.of(new QueueInfo(
                                name, 0, java.time.Duration.ZERO, admin.paused().contains(name), false))
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

    private Optional<QueueInfo> known(String name) {
        return admin.queue(name);
    }

    private Object pause(Call call) {
        String queue = call.text("queue", Place.MOST_NAME);
        boolean changed = admin.pause(queue);
        Audit.done(call, "pause queue " + queue, changed ? 1 : 0);
        return Map.of("changed", changed);
    }

    private Object resume(Call call) {
        String queue = call.text("queue", Place.MOST_NAME);
        boolean changed = admin.resume(queue);
        Audit.done(call, "resume queue " + queue, changed ? 1 : 0);
        return Map.of("changed", changed);
    }

    private Object clear(Call call) {
        String name = call.text("queue", Place.MOST_NAME);
        QueueInfo queue = known(name).orElseThrow(() -> Problem.notFound("No job was ever in that queue"));
        String batch = undo.batch(call);
        Trash.Deleted deleted = admin.trash().clear(queue, batch);
        Audit.done(call, "clear queue " + name, deleted.done());
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("done", deleted.done());
        answer.put("restorable", deleted.restorable());
        answer.put("undo", deleted.restorable() > 0 ? batch : null);
        return answer;
    }
}
