package dev.jobs.dashboard.job;

import dev.jobs.ArgumentSeal;
import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobRegistry;
import dev.jobs.PastAttempt;
import dev.jobs.Payload;
import dev.jobs.admin.Finding;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.ProcessInfo;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.codec.Backtrace;
import dev.jobs.codec.ParameterType;
import dev.jobs.dashboard.batches.BatchViews;
import dev.jobs.dashboard.jobs.Finder;
import dev.jobs.dashboard.jobs.JobPlace;
import dev.jobs.dashboard.jobs.Views;
import dev.jobs.dashboard.jobs.WrittenArguments;
import dev.jobs.dashboard.limits.LimitsApi;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.FindingView;
import dev.jobs.dashboard.web.Route;
import dev.jobs.dashboard.web.Shown;
import dev.jobs.engine.JobRoutes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One job with all its details. */
@Internal
public final class JobApi {

    /** In place of a place: a job that has ended is in none. */
    private static final String ENDED = "ended";

    private static final String RUNNING = "running";
    private static final int MOST_PROCESS = 300;
    private static final int MOST_WORK = 2_000;

    private static final int MOST_ID = 200;
    private static final int MOST_KEY = 100;
    private static final int RAW = 8 * 1_024;
    private static final int VALUE = 2_000;

    /** Limit for the text, and for all arguments together, when everything is requested: a page can only display it. */
    private static final int MOST_SHOWN = 1_280 * 1_024;

    /** As many as can be edited. */
    private static final int MOST_ARGUMENTS = WrittenArguments.MOST;

    private static final int MOST_MEMBERS = 200;
    private static final int MOST_FRAMES = 500;
    private static final int FRAME = 1_000;

    private record Argument(
            int position, @Nullable String type, @Nullable String name, String json, boolean cut, boolean masked) {}

    private record Member(String name, String json, boolean cut) {}

    /** @param stack whether its process can be asked what it does, and told to cancel it */
    private record Running(
            String process, String thread, @Nullable Long since, boolean stack) {}

    /** A failed attempt; times are milliseconds. */
    private record AttemptView(long at, long waited, long ran, String process, String error, String message) {

        static AttemptView of(PastAttempt attempt) {
            return new AttemptView(
                    attempt.at().toEpochMilli(),
                    attempt.waited().toMillis(),
                    attempt.ran().toMillis(),
                    attempt.process(),
                    attempt.error(),
                    attempt.message());
        }
    }

    /**
     * @param tags for a form
     * @param argumentsLeft how many arguments follow those that are listed
     * @param runsAs the job of this application that would run, after upcasters; null if there is none
     */
    private record OneJob(
            String sought,
            Views.@Nullable JobView job,
            @Nullable Running running,
            List<String> tags,
            List<Argument> arguments,
            int argumentsLeft,
            boolean argumentsCut,
            List<Member> payload,
            String raw,
            boolean rawCut,
            List<String> backtrace,
            boolean backtraceCut,
            List<AttemptView> attempts,
            long recoveries,
            List<FindingView> waiting,
            @Nullable Long position,
            @Nullable Boolean known,
            @Nullable String runsAs,
            List<Finder.Hit> elsewhere,
            boolean elsewherePartial,
            BatchViews.@Nullable Membership batch,
            List<String> actions) {}

    private final JobsAdmin admin;
    private final JobRegistry registry;
    private final @Nullable JobRoutes routes;
    private final Views views;
    private final Finder finder;
    private final JobSearch search;

    /** @param routes null if the jobs are those of another application */
    public JobApi(
            JobsAdmin admin,
            JobRegistry registry,
            @Nullable JobRoutes routes,
            Views views,
            Finder finder,
            JobSearch search) {
        this.admin = admin;
        this.registry = registry;
        this.routes = routes;
        this.views = views;
        this.finder = finder;
        this.search = search;
    }

    public Map<String, Route> routes() {
        return Map.of("GET api/job", Route.look(this::one), "GET api/find", Route.look(this::find));
    }

    private Object find(ApiRequest request) {
        String jid = request.text("jid", MOST_ID);
        return search.find(jid);
    }

    private Object one(ApiRequest request) {
        if (ENDED.equals(request.text("place", ApiRequest.MOST_NAME))) {
            return gone(request.text("jid", MOST_ID), false);
        }
        if (RUNNING.equals(request.text("place", ApiRequest.MOST_NAME))) {
            return running(request);
        }
        if (Views.PARKED.equals(request.text("place", ApiRequest.MOST_NAME))) {
            return parked(request);
        }
        JobPlace place = JobPlace.of(request);
        Finder.Selection found = finder.all(place, List.of(request.text("key", MOST_KEY)));
        return found.jobs().isEmpty()
                ? gone(request.textOrNull("jid", MOST_ID), found.partial())
                : waiting(found.jobs().get(0), request.flag("full"));
    }

    private OneJob waiting(ListedJob listed, boolean full) {
        JobRecord job = listed.job();
        return found(
                job,
                views.job(listed),
                null,
                admin.whyWaiting(listed),
                job.set() == null ? listed.index() : null,
                actions(job),
                full);
    }

    /** A job that is parked at a limit. */
    private Object parked(ApiRequest request) {
        return LimitsApi.parked(admin, request, request.text("key", MOST_KEY))
                .map(job -> found(
                        job.job(),
                        views.parked(job),
                        null,
                        admin.whyWaiting(job),
                        null,
                        List.of("delete"),
                        request.flag("full")))
                .orElseGet(() -> gone(request.textOrNull("jid", MOST_ID), false));
    }

    /** A running job, by its process and thread and, if it has one, its id: another one may run there by now. */
    private Object running(ApiRequest request) {
        String jid = request.textOrNull("jid", MOST_ID);
        String identity = request.text("process", MOST_PROCESS);
        String thread = request.text("thread", MOST_ID);
        List<ProcessInfo> process = admin.processes().all().stream()
                .filter(each -> each.identity().equals(identity))
                .toList();
        return admin.processes().work(process, MOST_WORK).stream()
                .filter(each -> each.thread().equals(thread)
                        && (jid == null || jid.equals(each.job().jid())))
                .findFirst()
                .map(work -> found(
                        work.job(),
                        views.job(new ListedJob(work.job(), 0)),
                        new Running(
                                identity,
                                thread,
                                Shown.millis(work.runAt()),
                                process.get(0).isOurs()),
                        List.of(),
                        null,
                        List.of(),
                        request.flag("full")))
                .orElseGet(() -> gone(jid, false));
    }

    private OneJob gone(@Nullable String jid, boolean partial) {
        Finder.Hits elsewhere = jid == null || jid.isEmpty() ? new Finder.Hits(List.of(), false) : finder.byId(jid);
        return new OneJob(
                partial ? "partial" : "gone",
                null,
                null,
                List.of(),
                List.of(),
                0,
                false,
                List.of(),
                "",
                false,
                List.of(),
                false,
                List.of(),
                0,
                List.of(),
                null,
                null,
                null,
                elsewhere.found(),
                elsewhere.partial(),
                search.batch(jid),
                List.of());
    }

    private OneJob found(
            JobRecord job,
            Views.JobView view,
            @Nullable Running running,
            List<Finding> waiting,
            @Nullable Long position,
            List<String> actions,
            boolean full) {
        Payload shown = views.payload(job);
        int most = full ? MOST_SHOWN : RAW;
        List<Argument> arguments = shown == null || job.size() > Views.MOST_READ
                ? List.of()
                : arguments(Objects.requireNonNull(job.payload()), shown, full);
        List<String> frames = shown == null ? List.of() : frames(shown);
        return new OneJob(
                "found",
                view,
                running,
                shown == null ? List.of() : Views.tagLines(shown),
                arguments,
                arguments.isEmpty() ? 0 : Objects.requireNonNull(shown).args().size() - arguments.size(),
                job.size() > Views.MOST_READ,
                shown == null ? List.of() : members(shown),
                views.text(job, most),
                (shown == null ? job.size() : shown.length()) > most,
                frames.stream()
                        .limit(MOST_FRAMES)
                        .map(frame -> Shown.cut(frame, FRAME))
                        .toList(),
                frames.size() > MOST_FRAMES,
                shown == null
                        ? List.of()
                        : PastAttempt.of(shown).stream().map(AttemptView::of).toList(),
                admin.recoveries(job),
                waiting.stream().map(FindingView::of).toList(),
                position,
                known(job),
                runsAs(job),
                List.of(),
                false,
                shown != null && shown.has("jb") ? search.batch(job.jid()) : null,
                actions);
    }

    private List<Argument> arguments(Payload stored, Payload shown, boolean full) {
        boolean sealed = ArgumentSeal.isSealed(stored); // what is shown is no argument of the method
        JobDefinition definition = sealed ? null : registry.find(stored.name()).orElse(null);
        List<ParameterType> parameters = definition == null ? List.of() : definition.parameters();
        List<@Nullable Object> before = stored.args();
        List<@Nullable Object> after = shown.args();
        List<Argument> arguments = new ArrayList<>();
        int room = MOST_SHOWN;
        for (int i = 0; i < Math.min(after.size(), MOST_ARGUMENTS); i++) {
            ParameterType parameter = i < parameters.size() ? parameters.get(i) : null;
            byte[] json = Shown.json(after.get(i));
            int most = full ? Math.max(VALUE, room) : VALUE;
            room -= Math.min(json.length, most);
            arguments.add(new Argument(
                    i,
                    parameter == null ? null : WrittenArguments.simple(parameter.type()),
                    parameter == null ? null : parameter.name(),
                    Shown.cut(json, most),
                    json.length > most,
                    !sealed && !Objects.equals(before.get(i), after.get(i))));
        }
        return arguments;
    }

    private static List<Member> members(Payload shown) {
        List<Member> members = new ArrayList<>();
        for (String name : shown.names()) {
            byte[] json = shown.raw(name);
            if (json != null
                    && !name.equals("args")
                    && !name.equals("error_backtrace")
                    && members.size() < MOST_MEMBERS) {
                members.add(new Member(Shown.cut(name, VALUE), Shown.cut(json, VALUE), json.length > VALUE));
            }
        }
        return members;
    }

    private static List<String> frames(Payload shown) {
        String stored = shown.text("error_backtrace");
        try {
            return stored == null ? List.of() : Backtrace.decode(stored);
        } catch (RuntimeException e) {
            return List.of();
        }
    }

    private @Nullable Boolean known(JobRecord job) {
        Payload payload = job.payload();
        String queue = job.queue();
        return payload == null || queue == null
                ? null
                : admin.processes().workforce().knows(queue, payload);
    }

    private @Nullable String runsAs(JobRecord job) {
        Payload payload = job.payload();
        String name = payload == null ? null : payload.name();
        if (routes == null || payload == null || name == null) {
            return null;
        }
        JobDefinition definition = routes.of(payload, name, Objects.requireNonNullElse(payload.jobName(), name))
                .definition();
        return definition == null ? null : definition.name();
    }

    /** Encrypted arguments can't be those of another job. */
    private static boolean isEditable(JobRecord job) {
        Payload payload = job.payload();
        return payload != null && !ArgumentSeal.isSealed(payload);
    }

    private static List<String> actions(JobRecord job) {
        JobSet set = job.set();
        if (set == null) {
            return job.payload() == null
                    ? List.of("delete")
                    : isEditable(job) ? List.of("delete", "move", "again") : List.of("delete", "move");
        }
        List<String> actions = new ArrayList<>();
        if (job.payload() != null) {
            actions.add("run");
        }
        if (isEditable(job)) {
            actions.add("again");
        }
        actions.add("delete");
        if (set != JobSet.DEAD) {
            actions.add("kill");
            actions.add("reschedule");
            actions.add("move");
        }
        return actions;
    }
}
