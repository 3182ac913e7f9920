package dev.jobs.dashboard.processes;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.admin.JobSkew;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.Page;
import dev.jobs.admin.ProcessInfo;
import dev.jobs.admin.StackDump;
import dev.jobs.admin.WorkInfo;
import dev.jobs.admin.Workforce;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.jobs.Views;
import dev.jobs.dashboard.live.BriefCache;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Audit;
import dev.jobs.dashboard.web.ListView;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.dashboard.web.Route;
import dev.jobs.dashboard.web.Shown;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Processes and their running jobs. */
@Internal
public final class BusyApi {

    private static final int MOST_READ = 2_000;
    private static final int SIZE = 25;
    private static final int MOST_TEXT = 200;

    /** The running jobs may be large, so they are read once for all viewers. */
    private static final Duration LASTS = Duration.ofMillis(1_500);

    private static final int MOST_SKEW = 500;
    private static final int MOST_IDENTITY = 300;
    private static final Pattern THREAD = Pattern.compile("[0-9a-z]{1,16}");

    /** All of it, as Redis has it. */
    private record Present(List<ProcessInfo> processes, List<WorkInfo> work, List<String> skew) {

        Set<String> ours() {
            return processes.stream()
                    .filter(ProcessInfo::isOurs)
                    .map(ProcessInfo::identity)
                    .collect(Collectors.toSet());
        }
    }

    /**
     * The processes and running jobs that match.
     *
     * @param skew names of jobs that the processes know differently, at most 500
     * @param controllable what a signal to all processes reaches
     */
    private record Busy(ListView processes, ListView work, boolean partial, List<String> skew, Reach controllable) {}

    /**
     * The processes that take signals.
     *
     * @param awake those that are not quiet
     * @param busy the jobs that all of them run
     * @param awakeBusy the jobs that those run that are not quiet
     */
    private record Reach(long processes, long awake, long busy, long awakeBusy) {}

    private record ProcessView(
            String identity,
            String host,
            long pid,
            String tag,
            @Nullable Long startedAt,
            @Nullable Long beat,
            double rtt,
            long memory,
            int concurrency,
            int busy,
            boolean quiet,
            boolean leader,
            boolean embedded,
            String version,
            boolean java,
            List<String> labels,
            List<String> queues,
            List<CapsuleView> capsules) {}

    private record CapsuleView(String name, int concurrency, String mode, Map<String, Integer> queues) {}

    private record WorkView(
            String process,
            String thread,
            String queue,
            @Nullable Long since,
            @Nullable Long elapsed,
            boolean stack,
            Views.JobView job) {}

    private record StackView(
            String state,
            @Nullable Long takenAt,
            @Nullable String jid,
            @Nullable String thread,
            List<String> stack) {}

    private final JobsAdmin admin;
    private final Views views;
    private final Clock clock;
    private final BriefCache<Present> latest;

    public BusyApi(JobsAdmin admin, Views views, Clock clock) {
        this.admin = admin;
        this.views = views;
        this.clock = clock;
        this.latest = new BriefCache<>(this::read, LASTS, clock);
    }

    public Map<String, Route> routes() {
        return Map.of(
                "GET api/busy", Route.look(this::busy),
                "POST api/process/quiet", Route.act(this::quiet),
                "POST api/process/stop", Route.act(this::stop),
                "POST api/processes/quiet", Route.act(this::quietAll),
                "POST api/processes/stop", Route.act(this::stopAll),
                "POST api/running/cancel", Route.act(this::cancel),
                // changes nothing: it leaves a request that expires in a minute
                "POST api/stack", Route.look(this::askForStack),
                "GET api/stack", Route.look(this::stack));
    }

    private Present read() {
        Workforce workforce = admin.processes().workforce();
        return new Present(
                workforce.processes(),
                admin.processes().work(workforce.processes(), MOST_READ),
                workforce.skew().stream().map(JobSkew::name).limit(MOST_SKEW).toList());
    }

    private Object busy(ApiRequest request) {
        Present present = latest.get();
        String given = request.textOrNull("text", MOST_TEXT);
        String text = given == null ? "" : given;
        Set<String> ours = present.ours();
        return new Busy(
                list(
                        present.processes().stream()
                                .filter(each -> text.isEmpty() || contains(each, text))
                                .toList(),
                        request.number("processes", 0, 0, Integer.MAX_VALUE),
                        BusyApi::process),
                list(
                        present.work().stream()
                                .filter(each -> text.isEmpty() || contains(each, text))
                                .toList(),
                        request.number("from", 0, 0, Integer.MAX_VALUE),
                        each -> work(each, ours.contains(each.process()))),
                present.work().size() >= MOST_READ,
                present.skew(),
                reach(present.processes()));
    }

    private static <T> ListView list(List<T> all, long from, Function<T, ?> view) {
        int begin = (int) (from < all.size() ? from : Math.max(0, (all.size() - 1) / SIZE * SIZE));
        int end = Math.min(begin + SIZE, all.size());
        return ListView.of(
                new Page<>(all.subList(begin, end), begin, end < all.size() ? end : -1, all.size(), false), SIZE, view);
    }

    private static Reach reach(List<ProcessInfo> processes) {
        List<ProcessInfo> all =
                processes.stream().filter(each -> !each.embedded()).toList();
        List<ProcessInfo> awake = all.stream().filter(each -> !each.quiet()).toList();
        return new Reach(all.size(), awake.size(), busy(all), busy(awake));
    }

    private static long busy(List<ProcessInfo> processes) {
        return processes.stream().mapToLong(ProcessInfo::busy).sum();
    }

    private static boolean contains(ProcessInfo process, String text) {
        return Stream.of(
                        Stream.of(process.identity(), process.tag(), process.version()),
                        process.labels().stream(),
                        process.queues().stream(),
                        process.capsules().stream().map(ProcessInfo.Capsule::name))
                .flatMap(each -> each)
                .anyMatch(each -> within(each, text));
    }

    private boolean contains(WorkInfo work, String text) {
        return within(work.process(), text)
                || within(work.thread(), text)
                || within(work.queue(), text)
                || within(String.valueOf(views.name(work.job())), text)
                || views.contains(work.job(), text);
    }

    private static boolean within(String whole, String text) {
        return whole.toLowerCase(Locale.ROOT).contains(text.toLowerCase(Locale.ROOT));
    }

    private static ProcessView process(ProcessInfo process) {
        return new ProcessView(
                process.identity(),
                process.hostname(),
                process.pid(),
                process.tag(),
                Shown.millis(process.startedAt()),
                Shown.millis(process.beat()),
                process.rtt().toNanos() / 1_000_000.0,
                process.memory(),
                process.concurrency(),
                process.busy(),
                process.quiet(),
                process.leader(),
                process.embedded(),
                process.version(),
                process.isOurs(),
                process.labels(),
                process.queues(),
                process.capsules().stream()
                        .map(each -> new CapsuleView(each.name(), each.concurrency(), each.mode(), each.weights()))
                        .toList());
    }

    private WorkView work(WorkInfo work, boolean stack) {
        Instant since = work.runAt();
        Long began = Shown.millis(since);
        return new WorkView(
                work.process(),
                work.thread(),
                work.queue(),
                began,
                began == null ? null : Math.max(0, clock.millis() - began),
                stack && THREAD.matcher(work.thread()).matches(),
                views.job(new ListedJob(work.job(), 0)));
    }

    private Object quiet(ApiRequest request) {
        String identity = request.text("identity", MOST_IDENTITY);
        return tell(
                request, "quiet process " + identity, () -> admin.processes().quiet(identity));
    }

    private Object stop(ApiRequest request) {
        String identity = request.text("identity", MOST_IDENTITY);
        return tell(request, "stop process " + identity, () -> admin.processes().stop(identity));
    }

    private Object quietAll(ApiRequest request) {
        return tellAll(request, "quiet all processes", admin.processes()::quietAll);
    }

    private Object stopAll(ApiRequest request) {
        return tellAll(request, "stop all processes", admin.processes()::stopAll);
    }

    /** Reports also the hundreds that were told before Redis failed. */
    private Object tellAll(ApiRequest request, String what, BiConsumer<List<ProcessInfo>, LongConsumer> signal) {
        AtomicLong told = new AtomicLong();
        try {
            signal.accept(admin.processes().all(), told::addAndGet);
        } finally {
            Audit.done(request, what, told.get());
        }
        return Map.of("told", told.get());
    }

    private Object cancel(ApiRequest request) {
        String jid = request.text("jid", MOST_IDENTITY);
        boolean cancelled = false;
        try {
            admin.cancel(jid);
            cancelled = true;
        } finally {
            Audit.done(request, "cancel job " + jid, cancelled ? 1 : 0);
        }
        return Map.of("changed", true);
    }

    private static Object tell(ApiRequest request, String what, BooleanSupplier signal) {
        boolean told = false;
        try {
            told = signal.getAsBoolean();
        } catch (JobStoreException e) {
            throw e;
        } catch (JobsException e) {
            throw new Problem(409, "embedded", String.valueOf(e.getMessage()));
        } finally {
            Audit.done(request, what, told ? 1 : 0);
        }
        return Map.of("changed", told);
    }

    private Object askForStack(ApiRequest request) {
        String identity = request.text("process", MOST_IDENTITY);
        String thread = thread(request);
        boolean asked = false;
        try {
            asked = admin.processes().askForStack(identity, thread);
        } finally {
            Audit.done(request, "stack of thread " + thread + " of process " + identity, asked ? 1 : 0);
        }
        return new StackView(
                asked ? "waiting" : answers(identity) ? "gone" : "unavailable", null, null, null, List.of());
    }

    private boolean answers(String identity) {
        return admin.processes().all().stream().anyMatch(each -> each.identity().equals(identity) && each.isOurs());
    }

    private Object stack(ApiRequest request) {
        StackDump dump = admin.processes()
                .stack(request.text("process", MOST_IDENTITY), thread(request))
                .orElse(null);
        if (dump == null) {
            return new StackView("waiting", null, null, null, List.of());
        }
        boolean ran = !dump.frames().isEmpty();
        return new StackView(ran ? "ready" : "gone", Shown.millis(dump.at()), dump.jid(), dump.thread(), dump.frames());
    }

    private static String thread(ApiRequest request) {
        String thread = request.text("thread", 16);
        if (!THREAD.matcher(thread).matches()) {
            throw Problem.badParameter("thread", "the thread of a running job");
        }
        return thread;
    }
}
