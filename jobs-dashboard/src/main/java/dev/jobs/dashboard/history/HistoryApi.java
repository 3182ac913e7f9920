package dev.jobs.dashboard.history;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.BatchJobState;
import dev.jobs.batches.BatchesAdmin;
import dev.jobs.dashboard.batches.BatchViews;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Feature;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.dashboard.web.Route;
import dev.jobs.dashboard.web.Shown;
import dev.jobs.history.EventSearch;
import dev.jobs.history.EventSearch.Order;
import dev.jobs.history.HistoryEvent;
import dev.jobs.history.HistoryPage;
import dev.jobs.history.HistoryTask;
import dev.jobs.history.JobHistory;
import dev.jobs.history.TaskSearch;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/** Batches and jobs of the history, which the application's database keeps. Arguments are masked there already. */
@Internal
public final class HistoryApi implements Feature {

    private static final Logger log = LoggerFactory.getLogger(HistoryApi.class);

    private static final int MOST_ID = 16;
    private static final int MOST_JID = 255;
    private static final int MOST_TEXT = 500;
    private static final int MOST_STATES = 200;

    /** The end of the year 9999. */
    private static final long LAST_TIME = 253_402_300_799_999L;

    /** A time or a number, which a database can hold, and an id. */
    private static final Pattern MARK = Pattern.compile("\\d{1,15}(:[^\\x00]{1,255})?", Pattern.DOTALL);

    private static final int IN_LIST = 200;
    private static final int ALONE = 20_000;
    private static final int MESSAGE = 500;
    private static final int MESSAGES = 20;

    private record TaskView(
            String id,
            String name,
            String description,
            List<String> tags,
            String createdBy,
            @Nullable String parent,
            String state,
            BatchViews.Counts counts,
            @Nullable Long createdAt,
            @Nullable Long finishedAt,
            boolean complete) {}

    private record JobView(
            String jid,
            @Nullable String task,
            @Nullable String taskName,
            @Nullable Long index,
            String job,
            String queue,
            String state,
            @Nullable String parameters,
            List<String> messages,
            @Nullable String result,
            @Nullable String errorClass,
            int attempts,
            @Nullable Long createdAt,
            @Nullable Long startedAt,
            @Nullable Long endedAt) {}

    private record Items(List<?> items, @Nullable String next) {}

    /** @param live whether Redis has the batch as well */
    private record OneTask(TaskView task, boolean live) {}

    private record OneJob(JobView job, boolean live) {}

    private final JobHistory history;
    private final BatchesAdmin batches;

    public HistoryApi(JobHistory history, JobsAdmin admin) {
        this.history = history;
        this.batches = admin.batches();
    }

    @Override
    public String name() {
        return "history";
    }

    @Override
    public Map<String, Route> routes() {
        return Map.of(
                "GET api/history/tasks", look(this::tasks),
                "GET api/history/task", look(this::task),
                "GET api/history/jobs", look(this::jobs),
                "GET api/history/job", look(this::job));
    }

    private static Route look(Route.Endpoint endpoint) {
        return Route.look(request -> {
            try {
                return endpoint.answer(request);
            } catch (DataAccessException e) {
                log.warn(
                        "The dashboard can't read the history: {}",
                        e.getMostSpecificCause().toString());
                throw new Problem(503, "database", "The database of the history can't be read; the log says why");
            }
        });
    }

    private Object tasks(ApiRequest request) {
        String state = word(request, "state", HistoryTask.State.values());
        TaskSearch search = new TaskSearch(
                filter(request, "name"),
                constant(state, HistoryTask.State.values()),
                filter(request, "tag"),
                filter(request, "owner"),
                null,
                time(request, "from"),
                time(request, "until"));
        HistoryPage<HistoryTask> page = history.tasks(search, after(request), limit(request));
        return new Items(page.items().stream().map(HistoryApi::view).toList(), page.next());
    }

    private Object task(ApiRequest request) {
        return history.task(clean("id", request.text("id", MOST_ID)))
                .map(task -> new OneTask(view(task), isLive(task.id())))
                .orElseThrow(() -> Problem.notFound("The history has no batch with that id, or no longer"));
    }

    private Object jobs(ApiRequest request) {
        String task = textOrNull(request, "task", MOST_ID);
        EventSearch search = new EventSearch(
                task,
                states(request),
                filter(request, "job"),
                filter(request, "queue"),
                filter(request, "tag"),
                filter(request, "text"),
                time(request, "from"),
                time(request, "until"),
                order(request, task));
        HistoryPage<HistoryEvent> page = history.events(search, after(request), limit(request));
        Map<String, String> names = page.items().stream()
                .map(HistoryEvent::task)
                .filter(Objects::nonNull)
                .distinct()
                .map(history::task)
                .flatMap(Optional::stream)
                .collect(Collectors.toMap(HistoryTask::id, HistoryTask::name));
        return new Items(
                page.items().stream()
                        .map(event -> view(event, names::get, IN_LIST))
                        .toList(),
                page.next());
    }

    private Object job(ApiRequest request) {
        HistoryEvent event = history.event(clean("jid", request.text("jid", MOST_JID)))
                .orElseThrow(() -> Problem.notFound("The history has no job with that id, or no longer"));
        String task = event.task();
        return new OneJob(
                view(event, id -> history.task(id).map(HistoryTask::name).orElse(null), ALONE),
                task != null && isLive(task));
    }

    /** The history is there to read while Redis is not. */
    private boolean isLive(String task) {
        try {
            return batches.find(task).isPresent();
        } catch (JobStoreException e) {
            return false;
        }
    }

    private static int limit(ApiRequest request) {
        return (int) request.number("limit", 25, 1, 100);
    }

    private static @Nullable String after(ApiRequest request) {
        String mark = textOrNull(request, "after", 300);
        if (mark != null && !MARK.matcher(mark).matches()) {
            throw Problem.badParameter("after", "the 'next' of the page before");
        }
        return mark;
    }

    private static @Nullable Instant time(ApiRequest request, String name) {
        return request.has(name) ? Instant.ofEpochMilli(request.number(name, 0, 0, LAST_TIME)) : null;
    }

    private static @Nullable String filter(ApiRequest request, String name) {
        return textOrNull(request, name, MOST_TEXT);
    }

    private static @Nullable String textOrNull(ApiRequest request, String name, int most) {
        String text = request.textOrNull(name, most);
        return text == null || text.isEmpty() ? null : clean(name, text);
    }

    /** Some databases fail at a NUL. */
    private static String clean(String name, String text) {
        if (text.indexOf('\0') >= 0) {
            throw Problem.badParameter(name, "a text without NUL");
        }
        return text;
    }

    private static String word(ApiRequest request, String name, Enum<?>[] constants) {
        return request.word(
                name,
                Stream.concat(Stream.of("any"), Arrays.stream(constants).map(BatchViews::word))
                        .toArray(String[]::new));
    }

    private static <E extends Enum<E>> @Nullable E constant(String word, E[] constants) {
        return Arrays.stream(constants)
                .filter(each -> BatchViews.word(each).equals(word))
                .findFirst()
                .orElse(null);
    }

    /** Words with commas between them. */
    private static Set<BatchJobState> states(ApiRequest request) {
        Set<BatchJobState> states = EnumSet.noneOf(BatchJobState.class);
        String words = request.textOrNull("states", MOST_STATES);
        if (words != null && !words.isEmpty()) {
            for (String word : words.split(",", -1)) {
                BatchJobState state = constant(word, BatchJobState.values());
                if (state == null) {
                    throw Problem.badParameter(
                            "states",
                            Arrays.stream(BatchJobState.values())
                                    .map(BatchViews::word)
                                    .collect(Collectors.joining(", ", "some of ", ", with commas between them")));
                }
                states.add(state);
            }
        }
        return states;
    }

    /** Only a batch has its jobs in each order at hand. */
    private static Order order(ApiRequest request, @Nullable String task) {
        String word =
                task == null ? request.word("order", "newest") : request.word("order", "index", "newest", "ended");
        return Objects.requireNonNull(constant(word, Order.values()));
    }

    private static TaskView view(HistoryTask task) {
        return new TaskView(
                task.id(),
                task.name(),
                Shown.cut(task.description(), MESSAGE),
                task.tags(),
                task.createdBy(),
                task.parent(),
                BatchViews.word(task.state()),
                new BatchViews.Counts(
                        task.total(),
                        task.waiting(),
                        task.retrying(),
                        task.succeeded(),
                        task.failed(),
                        task.dead(),
                        task.skipped(),
                        task.lost()),
                Shown.millis(task.createdAt()),
                Shown.millis(task.finishedAt()),
                task.complete());
    }

    private static JobView view(HistoryEvent event, Function<String, @Nullable String> names, int most) {
        String task = event.task();
        return new JobView(
                event.jid(),
                task,
                task == null ? null : names.apply(task),
                task == null ? null : event.index(),
                event.job(),
                event.queue(),
                BatchViews.word(event.state()),
                cutOrNull(event.parameters(), most),
                event.messages().stream()
                        .limit(MESSAGES)
                        .map(message -> Shown.cut(message, MESSAGE))
                        .toList(),
                cutOrNull(event.result(), most),
                event.errorClass(),
                event.attempts(),
                Shown.millis(event.createdAt()),
                Shown.millis(event.startedAt()),
                Shown.millis(event.endedAt()));
    }

    private static @Nullable String cutOrNull(@Nullable String text, int characters) {
        return text == null ? null : Shown.cut(text, characters);
    }
}
