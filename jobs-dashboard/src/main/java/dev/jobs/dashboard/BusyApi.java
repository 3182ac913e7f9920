package dev.jobs.dashboard;

import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.admin.JobSkew;
import dev.jobs.admin.JobsAdmin;
import dev.jobs.admin.PlacedJob;
import dev.jobs.admin.ProcessInfo;
import dev.jobs.admin.StackDump;
import dev.jobs.admin.WorkInfo;
import dev.jobs.admin.Workforce;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Processes and their running jobs. */
final class BusyApi {

    private static final int MOST_WORK = 500;
    private static final int MOST_READ = 2_000;

    /** The running jobs may be large, so they are read once for all viewers. */
    private static final Duration LASTS = Duration.ofMillis(1_500);

    private static final int MOST_PROCESSES = 500;
    private static final int MOST_IDENTITY = 300;
    private static final Pattern THREAD = Pattern.compile("[0-9a-z]{1,16}");

    /** @param skew names of jobs that these processes know differently, at most 500 */
    private record Busy(List<ProcessView> processes, List<WorkView> work, boolean partial, List<String> skew) {}

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
    private final BriefCache<Busy> latest;

    BusyApi(JobsAdmin admin, Views views, Clock clock) {
        this.admin = admin;
        this.views = views;
        this.clock = clock;
        this.latest = new BriefCache<>(this::read, LASTS, clock);
    }

    Map<String, Route> routes() {
        return Map.of(
                "GET api/busy", Route.look(request -> latest.get()),
                "POST api/process/quiet", Route.act(this::quiet),
                "POST api/process/stop", Route.act(this::stop),
                "POST api/running/cancel", Route.act(this::cancel),
                // changes nothing: it leaves a request that expires in a minute
                "POST api/stack", Route.look(this::askForStack),
                "GET api/stack", Route.look(this::stack));
    }

    private Busy read() {
        Workforce workforce = admin.processes().workforce();
        List<ProcessInfo> processes = workforce.processes();
        Set<String> ours = processes.stream()
                .filter(ProcessInfo::isOurs)
                .map(ProcessInfo::identity)
                .collect(Collectors.toSet());
        List<WorkInfo> work = admin.processes().work(processes, MOST_READ);
        return new Busy(
                processes.stream().limit(MOST_PROCESSES).map(BusyApi::process).toList(),
                work.stream()
                        .limit(MOST_WORK)
                        .map(each -> work(each, ours.contains(each.process())))
                        .toList(),
                processes.size() > MOST_PROCESSES || work.size() > MOST_WORK,
                workforce.skew().stream()
                        .map(JobSkew::name)
                        .limit(MOST_PROCESSES)
                        .toList());
    }

    private static ProcessView process(ProcessInfo process) {
        return new ProcessView(
                process.identity(),
                process.hostname(),
                process.pid(),
                process.tag(),
                Views.millis(process.startedAt()),
                Views.millis(process.beat()),
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
        Long began = Views.millis(since);
        return new WorkView(
                work.process(),
                work.thread(),
                work.queue(),
                began,
                began == null ? null : Math.max(0, clock.millis() - began),
                stack && THREAD.matcher(work.thread()).matches(),
                views.job(new PlacedJob(work.job(), 0)));
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
        return new StackView(ran ? "ready" : "gone", Views.millis(dump.at()), dump.jid(), dump.thread(), dump.frames());
    }

    private static String thread(ApiRequest request) {
        String thread = request.text("thread", 16);
        if (!THREAD.matcher(thread).matches()) {
            throw Problem.badParameter("thread", "the thread of a running job");
        }
        return thread;
    }
}
