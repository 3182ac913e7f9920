package dev.jobs.admin;

import dev.jobs.redis.DurationBuckets;
import dev.jobs.redis.JobMetrics;
import dev.jobs.redis.JobMetrics.Step;
import dev.jobs.redis.JobMetrics.Totals;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What there is to see of executions. */
final class MetricsReader {

    private static final int MOST_JOBS = 10_000;

    private final JobMetrics metrics;
    private final Clock clock;

    MetricsReader(JobMetrics metrics, Clock clock) {
        this.metrics = metrics;
        this.clock = clock;
    }

    Metrics all(Duration span) {
        Step step = step(span);
        List<Instant> times = times(step, span);
        Map<String, List<Executions.Point>> jobs = new HashMap<>();
        metrics.read(
                step,
                times,
                (time, found) -> found.forEach((name, totals) -> {
                    if (isSomething(totals) && (jobs.containsKey(name) || jobs.size() < MOST_JOBS)) {
                        jobs.computeIfAbsent(name, each -> new ArrayList<>()).add(point(time, totals));
                    }
                }));
        List<Executions> sorted = jobs.entrySet().stream()
                .map(job -> executions(job.getKey(), job.getValue()))
                .sorted(Comparator.comparing(Executions::time).reversed().thenComparing(Executions::name))
                .toList();
        return new Metrics(times.get(0), step.length(), times.size(), sorted);
    }

    Executions one(String name, Duration span) {
        Step step = step(span);
        List<Instant> times = times(step, span);
        List<Totals> found = metrics.read(name, step, times);
        List<Executions.Point> series = new ArrayList<>();
        for (int i = 0; i < found.size(); i++) {
            if (isSomething(found.get(i))) {
                series.add(point(times.get(i), found.get(i)));
            }
        }
        return executions(name, series);
    }

    Histogram histogram(String name, Duration span) {
        check(span, Step.MINUTE);
        long[] counts = metrics.histogram(name, times(Step.MINUTE, span));
        List<Histogram.Bucket> buckets = new ArrayList<>();
        for (int i = 0; i < counts.length; i++) {
            buckets.add(new Histogram.Bucket(DurationBuckets.bound(i), counts[i]));
        }
        return new Histogram(name, buckets);
    }

    private static boolean isSomething(Totals totals) {
        return totals.processed() > 0 || totals.failed() > 0 || totals.millis() > 0;
    }

    private static Executions.Point point(Instant start, Totals totals) {
        return new Executions.Point(start, totals.processed(), totals.failed(), Duration.ofMillis(totals.millis()));
    }

    private static Executions executions(String name, List<Executions.Point> series) {
        long processed = 0;
        long failed = 0;
        Duration time = Duration.ZERO;
        for (Executions.Point point : series) {
            processed += point.processed();
            failed += point.failed();
            time = time.plus(point.time());
        }
        return new Executions(name, processed, failed, time, series);
    }

    private static Step step(Duration span) {
        check(span, Step.TEN_MINUTES);
        return span.compareTo(Step.MINUTE.kept()) <= 0 ? Step.MINUTE : Step.TEN_MINUTES;
    }

    private static void check(Duration span, Step step) {
        if (span.compareTo(Step.MINUTE.length()) < 0 || span.compareTo(step.kept()) > 0) {
            throw new IllegalArgumentException(
                    "'span' must be 1 minute to " + step.kept().toHours() + " hours but was " + span);
        }
    }

    /** When each step of the span begins, oldest first; the last one is under way. */
    private List<Instant> times(Step step, Duration span) {
        long length = step.length().toSeconds();
        long last = Math.floorDiv(clock.instant().getEpochSecond(), length) * length;
        long count = (span.toSeconds() + length - 1) / length;
        List<Instant> times = new ArrayList<>();
        for (long i = count - 1; i >= 0; i--) {
            times.add(Instant.ofEpochSecond(last - i * length));
        }
        return times;
    }
}
