package dev.jobs.dashboard.recurring;

import dev.jobs.ArgumentMasking;
import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.admin.BudgetedScan;
import dev.jobs.admin.Page;
import dev.jobs.dashboard.jobs.KnownJobs;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Audit;
import dev.jobs.dashboard.web.Feature;
import dev.jobs.dashboard.web.ListView;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.dashboard.web.Route;
import dev.jobs.dashboard.web.Shown;
import dev.jobs.recurring.CronSchedule;
import dev.jobs.recurring.DeclaredChanges;
import dev.jobs.recurring.Missed;
import dev.jobs.recurring.Overlap;
import dev.jobs.recurring.RecurringJob;
import dev.jobs.recurring.RecurringJob.Origin;
import dev.jobs.recurring.RecurringJobs;
import java.time.Clock;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Recurring jobs. */
@Internal
public final class RecurringApi implements Feature {

    private static final int MOST_NAME = RecurringEdits.MOST_NAME;
    private static final int ARGUMENTS = 200;
    private static final int NEXT = 5;

    /**
     * @param utc whether the schedule is in UTC without saying so
     * @param delay whether it is a delay, which has no next time before the job has ended
     */
    private record RecurringView(
            String name,
            String job,
            @Nullable String queue,
            String schedule,
            boolean utc,
            String description,
            Missed missed,
            int mostMissed,
            Overlap overlap,
            boolean understood,
            boolean paused,
            boolean delay,
            List<Long> next,
            @Nullable Long last,
            boolean known,
            Origin origin,
            String args) {}

    private record ChangesView(String application, @Nullable Long at, List<DeclaredChanges.Change> changes) {}

    private record RunView(@Nullable Long at, @Nullable String jid) {}

    private final RecurringJobs recurring;
    private final KnownJobs known;
    private final ArgumentMasking masking;
    private final RecurringEdits edits;

    /** @param clock shows what a schedule means while it is written */
    public RecurringApi(RecurringJobs recurring, KnownJobs known, ArgumentMasking masking, Clock clock) {
        this.recurring = recurring;
        this.known = known;
        this.masking = masking;
        this.edits = new RecurringEdits(recurring, known, masking, clock);
    }

    @Override
    public String name() {
        return "recurring";
    }

    @Override
    public Map<String, Route> routes() {
        Map<String, Route> own = Map.of(
                "GET api/recurring", Route.look(this::list),
                "GET api/recurring/history", Route.look(this::history),
                "GET api/recurring/changes", Route.look(this::changes),
                "POST api/recurring/pause", Route.act(this::pause),
                "POST api/recurring/resume", Route.act(this::resume),
                "POST api/recurring/run", Route.act(this::run));
        return Route.merge(Stream.of(own, edits.routes()));
    }

    private Object list(ApiRequest request) {
        int size = (int) request.number("size", 100, 1, 100);
        long from = request.number("from", 0, 0, Integer.MAX_VALUE);
        List<RecurringJob> all = recurring.list();
        int begin = (int) BudgetedScan.begin(from, size, all.size());
        int end = Math.min(begin + size, all.size());
        Predicate<String> runnable = known.runnable();
        return ListView.of(
                new Page<>(all.subList(begin, end), begin, end < all.size() ? end : -1, all.size(), false),
                size,
                job -> view(job, runnable));
    }

    private RecurringView view(RecurringJob job, Predicate<String> runnable) {
        return new RecurringView(
                job.name(),
                Shown.cut(job.job(), ApiRequest.MOST_NAME),
                job.queue(),
                Shown.cut(job.cron(), ApiRequest.MOST_NAME),
                namesNoZone(job),
                Shown.cut(job.description(), ApiRequest.MOST_NAME),
                job.missed(),
                job.mostMissed(),
                job.overlap(),
                job.schedule() != null,
                !job.enabled(),
                isDelay(job),
                recurring.next(job, NEXT).stream().flatMap(RecurringApi::millis).toList(),
                Shown.millis(job.lastEnqueued()),
                runnable.test(job.job()),
                job.origin(),
                Shown.cut(arguments(job), ARGUMENTS));
    }

    private static boolean namesNoZone(RecurringJob job) {
        CronSchedule schedule = job.schedule();
        return schedule != null && !schedule.namesZone();
    }

    private static boolean isDelay(RecurringJob job) {
        CronSchedule schedule = job.schedule();
        return schedule != null && schedule.isDelay();
    }

    private static Stream<Long> millis(Instant time) {
        return Stream.ofNullable(Shown.millis(time));
    }

    /** The arguments as shown for a job of that name. */
    private String arguments(RecurringJob recurringJob) {
        if (!masking.isUsed()) {
            return recurringJob.arguments();
        }
        try {
            Payload job = recurringJob.payload("", Instant.EPOCH, PayloadTimes.MILLISECONDS);
            return Shown.cut(masking.shown(job).rawArgs(), ARGUMENTS * 4);
        } catch (InvalidPayloadException e) {
            return ArgumentMasking.HIDDEN;
        }
    }

    private Object history(ApiRequest request) {
        return Map.of(
                "items",
                recurring.history(request.text("name", MOST_NAME)).stream()
                        .map(run -> new RunView(Shown.millis(run.enqueued()), run.jid()))
                        .toList());
    }

    private Object changes(ApiRequest request) {
        return Map.of(
                "items",
                recurring.declaredChanges().stream()
                        .map(each -> new ChangesView(each.application(), Shown.millis(each.at()), each.changes()))
                        .toList());
    }

    private Object pause(ApiRequest request) {
        String name = request.text("name", MOST_NAME);
        return Map.of("changed", Audit.changing(request, "pause recurring job " + name, () -> recurring.pause(name)));
    }

    private Object resume(ApiRequest request) {
        String name = request.text("name", MOST_NAME);
        return Map.of("changed", Audit.changing(request, "resume recurring job " + name, () -> recurring.resume(name)));
    }

    private Object run(ApiRequest request) {
        String name = request.text("name", MOST_NAME);
        if (recurring.find(name).isEmpty()) {
            throw Problem.notFound("There is no recurring job of that name");
        }
        String jid = null;
        try {
            jid = recurring.runNow(name);
        } finally {
            Audit.done(request, "run recurring job " + name, jid == null ? 0 : 1);
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("changed", jid != null);
        answer.put("jid", jid == null ? null : Objects.requireNonNull(jid));
        return answer;
    }
}
