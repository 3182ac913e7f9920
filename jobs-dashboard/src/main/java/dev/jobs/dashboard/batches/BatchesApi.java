package dev.jobs.dashboard.batches;

import dev.jobs.Internal;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.ScanBudget;
import dev.jobs.admin.WorkInfo;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.BatchAudit;
import dev.jobs.batches.BatchDetails;
import dev.jobs.batches.BatchEvent;
import dev.jobs.batches.BatchFailures;
import dev.jobs.batches.BatchFamily;
import dev.jobs.batches.BatchField;
import dev.jobs.batches.BatchJobState;
import dev.jobs.batches.BatchPage;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.BatchWait;
import dev.jobs.batches.Batches;
import dev.jobs.batches.BatchesAdmin;
import dev.jobs.dashboard.jobs.Views;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Audit;
import dev.jobs.dashboard.web.FindingView;
import dev.jobs.dashboard.web.ListView;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.dashboard.web.Route;
import dev.jobs.dashboard.web.Shown;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Batches and their jobs. */
@Internal
public final class BatchesApi {

    private static final int MOST_ID = 16;
    private static final int MOST_TEXT = 200;
    private static final long MOST_INDEX = 0xffff_ffffL;

    private static final Set<BatchStatus.State> ENDED =
            Set.of(BatchStatus.State.SUCCEEDED, BatchStatus.State.FINISHED, BatchStatus.State.CANCELLED);

    /** Short, since what a page needs besides takes as long; the answer says whether it looked everywhere. */
    private static final ScanBudget WAIT = new ScanBudget(10_000, Duration.ofMillis(32));

    /** In that time an idle machine looks at three thousand batches; then the user may let it search on. */
    private static final ScanBudget LIST = new ScanBudget(10_000, Duration.ofMillis(70));

    /** What a page needs besides the jobs: failing jobs are read with their messages. */
    private static final ScanBudget FAILURES = new ScanBudget(2_000, Duration.ofMillis(250));

    private record Callback(
            String event,
            Views.JobView job,
            @Nullable String state,
            @Nullable Long at) {}

    private record Family(
            List<BatchViews.BatchView> ancestors,
            List<BatchViews.BatchView> before,
            List<BatchViews.BatchView> after,
            List<BatchViews.BatchView> children,
            boolean partial) {}

    private record OneBatch(
            BatchViews.BatchView batch,
            boolean toleratesFailures,
            boolean toleratesSkipped,
            boolean keepsResults,
            @Nullable Long keptFor,
            Map<String, Long> events,
            List<Callback> callbacks,
            Family family,
            List<String> actions) {}

    private record Field(
            long positions,
            long given,
            long from,
            int perCell,
            String cells,
            String failing,
            Map<String, Long> counts) {}

    private record Group(String message, long count, long retried, BatchViews.JobOfBatch sample) {}

    private record Failures(List<Group> groups, boolean partial, long looked, long total) {}

    private record JobList(
            List<BatchViews.JobOfBatch> items, @Nullable Long next) {}

    private record Running(String process, String thread, Views.JobView job) {}

    private record Wait(
            List<FindingView> reasons, List<Running> running, List<Views.JobView> waiting, boolean partial) {}

    private final BatchesAdmin admin;
    private final @Nullable Batches batches;
    private final Views views;
    private final Clock clock;

    /** @param batches performs some of the actions; null if the application has none */
    public BatchesApi(JobsAdmin admin, @Nullable Batches batches, Views views, Clock clock) {
        this.admin = admin.batches();
        this.batches = batches;
        this.views = views;
        this.clock = clock;
    }

    public Map<String, Route> routes() {
        return Map.of(
                "GET api/batches", Route.look(this::list),
                "GET api/batch", Route.look(this::one),
                "GET api/batch/field", Route.look(this::field),
                "GET api/batch/failures", Route.look(this::failures),
                "GET api/batch/jobs", Route.look(this::jobs),
                "GET api/batch/wait", Route.look(this::waiting),
                "POST api/batch/cancel", Route.act(this::cancel),
                "POST api/batch/retry", Route.act(this::retry),
                "POST api/batch/close", Route.act(this::close),
                "POST api/batch/audit", Route.act(this::audit));
    }

    private Object list(ApiRequest request) {
        int size = (int) request.number("size", 25, 1, 100);
        long from = request.number("from", 0, 0, Integer.MAX_VALUE);
        String[] states = Stream.concat(
                        Stream.of("any", "unfinished", "failing"),
                        Arrays.stream(BatchStatus.State.values()).map(BatchViews::word))
                .toArray(String[]::new);
        String state = request.word("state", states);
        String text = lower(request.textOrNull("text", MOST_TEXT));
        String tag = request.textOrNull("tag", MOST_TEXT);
        Predicate<BatchStatus> wanted = batch -> hasState(batch, state)
                && (text.isEmpty()
                        || lower(batch.name()).contains(text)
                        || batch.id().startsWith(text))
                && (tag == null || tag.isEmpty() || batch.tags().contains(tag));
        boolean unfinished = state.equals("unfinished")
                || Arrays.stream(BatchStatus.State.values())
                        .anyMatch(each ->
                                !ENDED.contains(each) && BatchViews.word(each).equals(state));
        return ListView.of(admin.list(unfinished, wanted, from, size, LIST), size, this::view);
    }

    private static String lower(@Nullable String text) {
        return text == null ? "" : text.toLowerCase(Locale.ROOT);
    }

    private static boolean hasState(BatchStatus batch, String state) {
        return switch (state) {
            case "any" -> true;
            case "unfinished" -> !batch.isFinished();
            case "failing" -> batch.failed() + batch.dead() + batch.lost() > 0;
            default -> BatchViews.word(batch.state()).equals(state);
        };
    }

    private BatchViews.BatchView view(BatchStatus batch) {
        return BatchViews.batch(batch, admin.isAbandoned(batch), clock.instant());
    }

    private List<BatchViews.BatchView> views(List<BatchStatus> some) {
        return some.stream().map(this::view).toList();
    }

    private BatchDetails found(ApiRequest request) {
        return admin.find(request.text("id", MOST_ID))
                .orElseThrow(() -> Problem.notFound("There is no batch with that id, or no longer"));
    }

    private Object one(ApiRequest request) {
        BatchDetails batch = found(request);
        BatchFamily family = admin.family(batch);
        Duration kept = batch.keptFor();
        Map<String, Long> events = new LinkedHashMap<>();
        for (BatchEvent event : BatchEvent.values()) {
            Long at = Shown.millis(batch.status().events().get(event));
            if (at != null) {
                events.put(BatchViews.word(event), at);
            }
        }
        return new OneBatch(
                BatchViews.batch(batch.status(), batch.abandoned(), clock.instant()),
                batch.toleratesFailures(),
                batch.toleratesSkipped(),
                batch.keepsResults(),
                kept == null ? null : kept.toMillis(),
                events,
                batch.callbacks().stream()
                        .map(each -> callback(each, batch.status().events().get(each.event())))
                        .toList(),
                new Family(
                        views(family.ancestors()),
                        views(family.before()),
                        views(family.after()),
                        views(family.children()),
                        family.partial()),
                actions(batch));
    }

    private Callback callback(BatchDetails.Callback callback, @Nullable Instant at) {
        BatchJobState state = callback.state();
        return new Callback(
                BatchViews.word(callback.event()),
                views.job(new ListedJob(callback.job(), 0)),
                state == null ? null : BatchViews.word(state),
                Shown.millis(at));
    }

    private List<String> actions(BatchDetails batch) {
        BatchStatus status = batch.status();
        List<String> actions = new ArrayList<>();
        if (batches != null && status.dead() > 0) {
            actions.add("retry");
        }
        if (batches != null && !batch.staged() && !status.waitsForPrevious() && status.pending() + status.lost() > 0) {
            actions.add("audit");
        }
        if (status.open() && !batch.staged() && !status.isFinished()) {
            actions.add("close");
        }
        if (batches != null && !status.isFinished() && status.cancelledAt() == null) {
            actions.add("cancel");
        }
        return actions;
    }

    private Object field(ApiRequest request) {
        BatchField field = admin.field(found(request).status().id(), request.number("from", 0, 0, MOST_INDEX), (int)
                request.number("most", BatchField.MOST_POSITIONS, 1, BatchField.MOST_POSITIONS));
        return new Field(
                field.positions(),
                field.given(),
                field.from(),
                field.perCell(),
                field.cells(),
                field.failing(),
                BatchViews.counts(field.counts()));
    }

    private Object failures(ApiRequest request) {
        BatchFailures found = admin.failures(found(request).status(), FAILURES);
        return new Failures(
                found.groups().stream()
                        .map(group -> new Group(
                                group.message(), group.count(), group.retried(), BatchViews.job(group.sample())))
                        .toList(),
                found.partial(),
                found.looked(),
                found.total());
    }

    private Object jobs(ApiRequest request) {
        String[] states = Stream.concat(
                        Stream.of("any"), Arrays.stream(BatchJobState.values()).map(BatchViews::word))
                .toArray(String[]::new);
        String state = request.word("state", states);
        Set<BatchJobState> wanted = Arrays.stream(BatchJobState.values())
                .filter(each -> BatchViews.word(each).equals(state))
                .collect(Collectors.toSet());
        BatchPage page =
                admin.jobs(found(request).status().id(), wanted, request.number("from", 0, 0, MOST_INDEX) - 1, (int)
                        request.number("size", 25, 1, 100));
        return new JobList(page.jobs().stream().map(BatchViews::job).toList(), page.hasMore() ? page.next() + 1 : null);
    }

    private Object waiting(ApiRequest request) {
        BatchWait wait = admin.whyUnfinished(found(request), WAIT);
        return new Wait(
                wait.reasons().stream().map(FindingView::of).toList(),
                wait.running().stream().map(this::running).toList(),
                wait.waiting().stream().map(views::job).toList(),
                wait.partial());
    }

    private Running running(WorkInfo work) {
        return new Running(work.process(), work.thread(), views.job(new ListedJob(work.job(), 0)));
    }

    private Object cancel(ApiRequest request) {
        return perform(request, "cancel", id -> able().cancel(id) ? 1 : 0);
    }

    private Object retry(ApiRequest request) {
        return perform(request, "retry dead jobs of", id -> able().retryDead(id));
    }

    private Object close(ApiRequest request) {
        return perform(request, "close", id -> admin.close(id) ? 1 : 0);
    }

    /** May take seconds, since it reads all jobs of all queues and sets. */
    private Object audit(ApiRequest request) {
        String id = request.text("id", MOST_ID);
        BatchAudit found = new BatchAudit(0, 0, 0, 0, 0);
        try {
            found = able().audit(id).orElse(found);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Problem(503, "busy", "The application is about to stop");
        } finally {
            Audit.done(request, "audit batch " + id, found.lost() + found.dead() + found.corrected());
        }
        return found;
    }

    /** Calls the bean that performs the action. */
    private Batches able() {
        if (batches == null) {
            throw new Problem(409, "conflict", "This application has no bean of type Batches");
        }
        return batches;
    }

    private static Object perform(ApiRequest request, String what, ToLongFunction<String> action) {
        String id = request.text("id", MOST_ID);
        long done = 0;
        try {
            done = action.applyAsLong(id);
        } finally {
            Audit.done(request, what + " batch " + id, done);
        }
        return Map.of("done", done);
    }
}
