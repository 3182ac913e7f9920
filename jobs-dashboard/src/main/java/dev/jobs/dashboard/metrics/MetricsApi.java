package dev.jobs.dashboard.metrics;

import dev.jobs.Internal;
import dev.jobs.admin.QueueInfo;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.live.Sampler;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Route;
import dev.jobs.dashboard.web.Shown;
import dev.jobs.metrics.Executions;
import dev.jobs.metrics.Metrics;
import dev.jobs.metrics.Timings;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The results of executions, by job and by queue. */
@Internal
public final class MetricsApi {

    static final int MOST_HOURS = 72;

    /** A list reads the times of all jobs and queues, a chart only those of one. */
    private static final int MOST_TIMED_HOURS = 24;

    private static final int MOST_JOBS = 200;
    private static final int MOST_QUEUES = 100;
    private static final Duration TEN_MINUTES = Duration.ofMinutes(10);

    /** @param timedHours the period of percentiles and queues */
    private record All(
            long from,
            long step,
            int steps,
            List<JobView> jobs,
            List<QueueView> queues,
            List<List<Long>> series,
            List<DeployView> deploys,
            int timedHours,
            boolean partial) {}

    private record JobView(
            String name,
            long count,
            long failed,
            long totalMs,
            double meanMs,
            @Nullable Percentiles ran,
            @Nullable Percentiles waited,
            Spark spark) {}

    /** @param oldest how long the next job of the queue has waited, in milliseconds; null if none waits */
    private record QueueView(
            String name,
            long count,
            long failed,
            @Nullable Percentiles ran,
            @Nullable Percentiles waited,
            long size,
            @Nullable Long oldest,
            Spark spark) {}

    private record Series(long step, int steps, List<List<Long>> series, List<DeployView> deploys) {}

    private final JobsAdmin admin;
    private final Sampler sampler;
    private final Clock clock;

    public MetricsApi(JobsAdmin admin, Sampler sampler, Clock clock) {
        this.admin = admin;
        this.sampler = sampler;
        this.clock = clock;
    }

    public Map<String, Route> routes() {
        return Map.of("GET api/metrics", Route.look(this::all), "GET api/executions", Route.look(this::series));
    }

    static int hours(ApiRequest request) {
        return (int) request.number("hours", 1, 1, MOST_HOURS);
    }

    private Object all(ApiRequest request) {
        int hours = hours(request);
        Metrics metrics = admin.metrics().all(Duration.ofHours(hours));
        int timedHours = Math.min(hours, MOST_TIMED_HOURS);
        Duration timed = Duration.ofHours(timedHours);
        List<Timings> timings = admin.metrics().timings(timed);
        Map<String, Timings> ofJobs = new HashMap<>();
        timings.stream().filter(each -> each.of() == Timings.Of.JOB).forEach(each -> ofJobs.put(each.name(), each));
        return new All(
                metrics.from().toEpochMilli(),
                metrics.step().toMillis(),
                metrics.steps(),
                metrics.jobs().stream()
                        .limit(MOST_JOBS)
                        .map(job -> job(job, metrics, ofJobs.get(job.name())))
                        .toList(),
                queues(timings, timed),
                total(metrics),
                DeployView.since(metrics.from(), admin, clock),
                timedHours,
                metrics.jobs().size() > MOST_JOBS);
    }

    private static JobView job(Executions job, Metrics metrics, @Nullable Timings timings) {
        return new JobView(
                Shown.cut(job.name(), ApiRequest.MOST_NAME),
                job.processed(),
                job.failed(),
                job.time().toMillis(),
                millis(job.mean()),
                timings == null ? null : Percentiles.of(timings.ran()),
                timings == null ? null : Percentiles.of(timings.waited()),
                Spark.of(job, metrics.from(), metrics.step(), metrics.steps()));
    }

    /** Those that jobs ran from, and those in which jobs wait. */
    private List<QueueView> queues(List<Timings> timings, Duration span) {
        Map<String, Timings> known = new HashMap<>();
        Set<String> names = new LinkedHashSet<>();
        timings.stream()
                .filter(each -> each.of() == Timings.Of.QUEUE)
                .limit(MOST_QUEUES)
                .forEach(each -> {
                    known.put(each.name(), each);
                    names.add(each.name());
                });
        names.addAll(sampler.waiting());
        int steps = (int) Math.max(1, span.dividedBy(TEN_MINUTES));
        long last = Math.floorDiv(clock.millis(), TEN_MINUTES.toMillis()) * TEN_MINUTES.toMillis();
        Instant from = Instant.ofEpochMilli(last).minus(TEN_MINUTES.multipliedBy(steps - 1L));
        Map<String, QueueInfo> now = new HashMap<>();
        List<String> readable = names.stream()
                .filter(name -> name.length() <= ApiRequest.MOST_NAME)
                .toList();
        admin.queues().named(readable).forEach(queue -> now.put(queue.name(), queue));
        return readable.stream()
                .map(name -> queue(name, known.get(name), now.get(name), from, steps))
                .toList();
    }

    private static QueueView queue(
            String name, @Nullable Timings timings, @Nullable QueueInfo now, Instant from, int steps) {
        long size = now == null ? 0 : now.size();
        return new QueueView(
                name,
                timings == null ? 0 : timings.executions(),
                timings == null ? 0 : timings.failed(),
                timings == null ? null : Percentiles.of(timings.ran()),
                timings == null ? null : Percentiles.of(timings.waited()),
                size,
                now == null || size == 0 ? null : now.latency().toMillis(),
                Spark.of(timings, from, TEN_MINUTES, steps));
    }

    private Object series(ApiRequest request) {
        Metrics metrics = admin.metrics().all(Duration.ofHours(hours(request)));
        return new Series(
                metrics.step().toMillis(),
                metrics.steps(),
                total(metrics),
                DeployView.since(metrics.from(), admin, clock));
    }

    /** Time, count and failures of all jobs together in each step that is not empty. */
    private static List<List<Long>> total(Metrics metrics) {
        TreeMap<Long, long[]> sums = new TreeMap<>();
        metrics.jobs().forEach(job -> job.series().forEach(point -> {
            long[] sum = sums.computeIfAbsent(point.start().toEpochMilli(), at -> new long[2]);
            sum[0] += point.processed();
            sum[1] += point.failed();
        }));
        return sums.entrySet().stream()
                .map(each -> List.of(each.getKey(), each.getValue()[0], each.getValue()[1]))
                .toList();
    }

    static double millis(Duration duration) {
        return duration.toNanos() / 1_000_000.0;
    }
}
