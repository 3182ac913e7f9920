package dev.jobs.dashboard.metrics;

import dev.jobs.Internal;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Route;
import dev.jobs.dashboard.web.Shown;
import dev.jobs.metrics.Executions;
import dev.jobs.metrics.Histogram;
import dev.jobs.metrics.Timings;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The results of executions of one job, or from one queue. */
@Internal
public final class MetricApi {

    /** How long Sidekiq keeps histograms and executions by the minute. */
    private static final int HISTOGRAM_HOURS = 8;

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration TEN_MINUTES = Duration.ofMinutes(10);

    /**
     * @param series time, count, failures and milliseconds of each step that is not empty; of a queue without
     *     milliseconds
     * @param histogramHours the period of the histogram of durations; that of waits has the whole one
     * @param times time, and what a half, 95 % and 99 % did not exceed, of durations and of waits in each ten minutes
     */
    private record One(
            String name,
            long count,
            long failed,
            @Nullable Long totalMs,
            @Nullable Double meanMs,
            long step,
            int steps,
            List<List<Long>> series,
            Percentiles ran,
            Percentiles waited,
            List<BucketView> histogram,
            int histogramHours,
            List<BucketView> waits,
            List<List<@Nullable Number>> times,
            List<DeployView> deploys) {}

    private record BucketView(@Nullable Double upTo, long count) {}

    private final JobsAdmin admin;
    private final Clock clock;

    public MetricApi(JobsAdmin admin, Clock clock) {
        this.admin = admin;
        this.clock = clock;
    }

    public Map<String, Route> routes() {
        return Map.of("GET api/metric", Route.look(this::one));
    }

    private Object one(ApiRequest request) {
        int hours = MetricsApi.hours(request);
        String queue = request.textOrNull("queue", ApiRequest.MOST_NAME);
        return queue == null ? job(request.text("job", ApiRequest.MOST_NAME), hours) : queue(queue, hours);
    }

    private One job(String name, int hours) {
        Duration span = Duration.ofHours(hours);
        Executions executions = admin.metrics().executions(name, span);
        SortedMap<Instant, Timings> times = admin.metrics().timings(Timings.Of.JOB, name, span);
        int shown = Math.min(hours, HISTOGRAM_HOURS);
        Duration step = hours <= HISTOGRAM_HOURS ? MINUTE : TEN_MINUTES;
        return new One(
                Shown.cut(name, ApiRequest.MOST_NAME),
                executions.processed(),
                executions.failed(),
                executions.time().toMillis(),
                MetricsApi.millis(executions.mean()),
                step.toMillis(),
                (int) span.dividedBy(step),
                executions.series().stream()
                        .map(point -> List.of(
                                point.start().toEpochMilli(),
                                point.processed(),
                                point.failed(),
                                point.time().toMillis()))
                        .toList(),
                Percentiles.of(sum(name, times, Timings::ran)),
                Percentiles.of(sum(name, times, Timings::waited)),
                buckets(admin.metrics().histogram(name, Duration.ofHours(shown))),
                shown,
                buckets(sum(name, times, Timings::waited)),
                spreads(times),
                deploys(span));
    }

    private One queue(String name, int hours) {
        Duration span = Duration.ofHours(hours);
        SortedMap<Instant, Timings> times = admin.metrics().timings(Timings.Of.QUEUE, name, span);
        return new One(
                Shown.cut(name, ApiRequest.MOST_NAME),
                times.values().stream().mapToLong(Timings::executions).sum(),
                times.values().stream().mapToLong(Timings::failed).sum(),
                null,
                null,
                TEN_MINUTES.toMillis(),
                (int) span.dividedBy(TEN_MINUTES),
                times.entrySet().stream()
                        .map(each -> List.of(
                                each.getKey().toEpochMilli(),
                                each.getValue().executions(),
                                each.getValue().failed()))
                        .toList(),
                Percentiles.of(sum(name, times, Timings::ran)),
                Percentiles.of(sum(name, times, Timings::waited)),
                buckets(sum(name, times, Timings::ran)),
                hours,
                buckets(sum(name, times, Timings::waited)),
                spreads(times),
                deploys(span));
    }

    private List<DeployView> deploys(Duration span) {
        return DeployView.since(clock.instant().minus(span), admin, clock);
    }

    private static Histogram sum(String name, SortedMap<Instant, Timings> times, Function<Timings, Histogram> of) {
        List<Histogram.Bucket> sums = new ArrayList<>();
        for (Timings each : times.values()) {
            List<Histogram.Bucket> buckets = of.apply(each).buckets();
            for (int i = 0; i < buckets.size(); i++) {
                Histogram.Bucket bucket = buckets.get(i);
                if (i == sums.size()) {
                    sums.add(bucket);
                } else {
                    sums.set(i, new Histogram.Bucket(bucket.below(), sums.get(i).count() + bucket.count()));
                }
            }
        }
        return new Histogram(name, sums);
    }

    private static List<List<@Nullable Number>> spreads(SortedMap<Instant, Timings> times) {
        List<List<@Nullable Number>> all = new ArrayList<>();
        times.forEach((at, each) -> {
            Percentiles ran = Percentiles.of(each.ran());
            Percentiles waited = Percentiles.of(each.waited());
            all.add(Arrays.asList(
                    at.toEpochMilli(), ran.p50(), ran.p95(), ran.p99(), waited.p50(), waited.p95(), waited.p99()));
        });
        return all;
    }

    private static List<BucketView> buckets(Histogram histogram) {
        return histogram.buckets().stream()
                .map(bucket -> {
                    Duration below = bucket.below();
                    return new BucketView(below == null ? null : MetricsApi.millis(below), bucket.count());
                })
                .toList();
    }
}
