package dev.jobs.dashboard.overview;

import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.ScanBudget;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.live.BriefCache;
import dev.jobs.dashboard.live.Sampler;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.FindingView;
import dev.jobs.dashboard.web.Shown;
import dev.jobs.metrics.Executions;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What people should look at although nothing is broken: jobs that fail often, queues that are late, recent deaths. */
final class Attention {

    private static final Duration LATEST = Duration.ofSeconds(10);
    private static final Duration RECENTLY = Duration.ofHours(1);
    private static final Duration LATELY = Duration.ofHours(24);
    private static final Duration LATE = Duration.ofMinutes(5);
    private static final long FEW_FAILURES = 5;
    private static final int SELDOM = 10;
    private static final int MOST_OF_A_KIND = 5;

    private final JobsAdmin admin;
    private final Sampler sampler;
    private final Clock clock;
    private final BriefCache<List<FindingView>> latest;

    Attention(JobsAdmin admin, Sampler sampler, Clock clock) {
        this.admin = admin;
        this.sampler = sampler;
        this.clock = clock;
        this.latest = new BriefCache<>(this::read, LATEST, clock);
    }

    /** At most ten seconds old. */
    List<FindingView> latest() {
        return latest.get();
    }

    private List<FindingView> read() {
        List<FindingView> all = new ArrayList<>();
        admin.metrics().all(RECENTLY).jobs().stream()
                .filter(job -> job.failed() >= FEW_FAILURES && job.failed() * SELDOM >= job.processed())
                .sorted(Comparator.comparingLong(Executions::failed).reversed())
                .limit(MOST_OF_A_KIND)
                .forEach(job -> all.add(finding("failing", job.name(), job.failed(), job.processed())));
        Sampler.Live live = sampler.latest();
        live.queues().stream()
                .filter(queue -> queue.size() > 0 && queue.workers() > 0 && !queue.paused())
                .filter(queue -> queue.latency() >= LATE.toMillis())
                .sorted(Comparator.comparingLong(Sampler.QueueView::latency).reversed())
                .limit(MOST_OF_A_KIND)
                .forEach(queue -> all.add(finding("late", queue.name(), queue.latency(), queue.size())));
        if (live.totals().dead() > 0) {
            admin.sets().jobs(JobSet.DEAD, job -> true, 0, 1, ScanBudget.standard()).items().stream()
                    .map(this::death)
                    .forEach(all::addAll);
        }
        return all;
    }

    /** Of the job that died last. */
    private List<FindingView> death(ListedJob last) {
        Long died = Shown.millis(last.job().at());
        return died != null && died > clock.instant().minus(LATELY).toEpochMilli()
                ? List.of(finding("died", "", sampler.latest().totals().dead(), died))
                : List.of();
    }

    private static FindingView finding(String code, String subject, long first, long second) {
        String name = Shown.cut(subject, ApiRequest.MOST_NAME);
        List<String> values = List.of(Long.toString(first), Long.toString(second));
        return new FindingView(code, "warning", name, values, code + " " + name);
    }
}
