package dev.jobs.dashboard;

import dev.jobs.admin.Deploy;
import dev.jobs.admin.Executions;
import dev.jobs.admin.Histogram;
import dev.jobs.admin.JobsAdmin;
import dev.jobs.admin.Metrics;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The results of executions, by job. */
final class MetricsApi {

    private static final int MOST_HOURS = 72;
    private static final int MOST_JOBS = 200;
    private static final int MOST_DEPLOYS = 50;

    /** How long Sidekiq keeps histograms and executions by the minute. */
    private static final int HISTOGRAM_HOURS = 8;

    private record All(
            long from, long step, int steps, List<JobView> jobs, List<DeployView> deploys, boolean partial) {}

    private record JobView(String name, long count, long failed, long totalMs, double meanMs) {

        static JobView of(Executions job) {
            return new JobView(
                    Views.cut(job.name(), JobLocation.MOST_NAME),
                    job.processed(),
                    job.failed(),
                    job.time().toMillis(),
                    millis(job.mean()));
        }
    }

    /** Time, count, failures and milliseconds of each step that is not empty. */
    private static List<List<Long>> series(Executions job) {
        return job.series().stream()
                .map(point -> List.of(
                        point.start().toEpochMilli(),
                        point.processed(),
                        point.failed(),
                        point.time().toMillis()))
                .toList();
    }

    private record DeployView(long at, String label) {}

    private record One(
            String name,
            long count,
            long failed,
            long totalMs,
            double meanMs,
            List<List<Long>> series,
            List<BucketView> histogram,
            int histogramHours) {}

    private record BucketView(@Nullable Double upTo, long count) {}

    private final JobsAdmin admin;

    MetricsApi(JobsAdmin admin) {
        this.admin = admin;
    }

    Map<String, Route> routes() {
        return Map.of("GET api/metrics", Route.look(this::all), "GET api/metric", Route.look(this::one));
    }

    private static int hours(ApiRequest request) {
        return (int) request.number("hours", 1, 1, MOST_HOURS);
    }

    private Object all(ApiRequest request) {
        int hours = hours(request);
        Metrics metrics = admin.metrics().all(Duration.ofHours(hours));
        return new All(
                metrics.from().toEpochMilli(),
                metrics.step().toMillis(),
                metrics.steps(),
                metrics.jobs().stream().limit(MOST_JOBS).map(JobView::of).toList(),
                deploys(hours, metrics.from()),
                metrics.jobs().size() > MOST_JOBS);
    }

    private List<DeployView> deploys(int hours, Instant from) {
        return admin.metrics().deploys(1 + (hours + 23) / 24).stream()
                .filter(deploy -> !deploy.at().isBefore(from))
                .limit(MOST_DEPLOYS)
                .map((Deploy deploy) ->
                        new DeployView(deploy.at().toEpochMilli(), Views.cut(deploy.label(), JobLocation.MOST_NAME)))
                .toList();
    }

    private Object one(ApiRequest request) {
        int hours = hours(request);
        String name = request.text("job", JobLocation.MOST_NAME);
        Executions executions = admin.metrics().executions(name, Duration.ofHours(hours));
        JobView job = JobView.of(executions);
        int shown = Math.min(hours, HISTOGRAM_HOURS);
        return new One(
                job.name(),
                job.count(),
                job.failed(),
                job.totalMs(),
                job.meanMs(),
                series(executions),
                admin.metrics().histogram(name, Duration.ofHours(shown)).buckets().stream()
                        .map(MetricsApi::bucket)
                        .toList(),
                shown);
    }

    private static BucketView bucket(Histogram.Bucket bucket) {
        Duration below = bucket.below();
        return new BucketView(below == null ? null : millis(below), bucket.count());
    }

    private static double millis(Duration duration) {
        return duration.toNanos() / 1_000_000.0;
    }
}
