package dev.jobs.metrics;

import dev.jobs.Internal;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.lists.JobCounters;
import dev.jobs.metrics.JobMetrics.Step;
import dev.jobs.metrics.JobMetrics.Totals;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * Executions by job and by day, Ruby's and Java's, as far as the processes have sent them to Redis; and deployments.
 * {@link JobsAdmin#metrics} returns it. Thread-safe; throws what {@link JobsAdmin} throws.
 */
public final class MetricsAdmin {

    private static final int MOST_JOBS = 10_000;
    private static final int MOST_DAYS = 5 * 365;
    private static final int MOST_DAYS_OF_MARKS = 90;

    private final JobCounters counters;
    private final JobMetrics metrics;
    private final TimingsReader timings;
    private final DeployMarks marks;
    private final Clock clock;

    @Internal
    public MetricsAdmin(JobCounters counters, JobMetrics metrics, JobTimings timings, DeployMarks marks, Clock clock) {
        this.counters = counters;
        this.metrics = metrics;
        this.timings = new TimingsReader(timings);
        this.marks = marks;
        this.clock = clock;
    }

    /**
     * The executions of all jobs in the period that ends now.
     *
     * @param span 1 minute to 72 hours; divided into minutes up to 8 hours, and into ten minutes beyond
     */
    public Metrics all(Duration span) {
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

    /** The executions of one job; otherwise like {@link #all}. */
    public Executions executions(String name, Duration span) {
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

    /**
     * The durations of the executions of one job in the period that ends now.
     *
     * @param span 1 minute to 8 hours
     */
    public Histogram histogram(String name, Duration span) {
        check(span, Step.MINUTE);
        return Histogram.of(name, metrics.histogram(name, times(Step.MINUTE, span)), 0);
    }

    /**
     * How long the executions of all jobs, and those from all queues, ran and waited in the period that ends now; those
     * with the most executions first.
     *
     * @param span 1 minute to 72 hours
     */
    public List<Timings> timings(Duration span) {
        check(span, Step.TEN_MINUTES);
        return timings.all(times(Step.TEN_MINUTES, span));
    }

    /**
     * The same for each ten minutes with an execution of one job, or from one queue, by their beginning; without
     * series.
     */
    public SortedMap<Instant, Timings> timings(Timings.Of of, String name, Duration span) {
        check(span, Step.TEN_MINUTES);
        return timings.steps(of, name, times(Step.TEN_MINUTES, span));
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

    /** The executions on each of the last days, today included: 1 to 1,825 days, in UTC. */
    public History history(int days) {
        LocalDate first = firstOf(days, MOST_DAYS);
        List<History.Day> all = new ArrayList<>();
        for (JobCounters.Count count : counters.days(first, days)) {
            all.add(new History.Day(first.plusDays(all.size()), count.processed(), count.failed()));
        }
        return new History(all);
    }

    /** Sets the totals of processed and failed jobs to 0; the counts of the days stay. */
    public void resetTotals() {
        counters.reset();
    }

    /**
     * Marks the present minute as that of a deployment, for charts.
     *
     * @param label such as a version: 1 to 200 characters, no control characters
     * @return whether it is marked now: false if the same label was marked within the last minute, or if another label
     *     already marks this minute
     */
    public boolean markDeploy(String label) {
        if (!DeployMarks.isLabel(label)) {
            throw new IllegalArgumentException(
                    "'label' must be 1 to 200 characters without control characters but was '" + label + "'");
        }
        return marks.mark(label, clock.instant());
    }

    /** The deployments marked on the last days, today included, oldest first: 1 to 90 days, in UTC. */
    public List<Deploy> deploys(int days) {
        LocalDate first = firstOf(days, MOST_DAYS_OF_MARKS);
        return marks.read(first, days).entrySet().stream()
                .map(mark -> new Deploy(mark.getKey(), mark.getValue()))
                .toList();
    }

    private LocalDate firstOf(int days, int most) {
        if (days < 1 || days > most) {
            throw new IllegalArgumentException("'days' must be 1 to " + most + " but was " + days);
        }
        return LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC).minusDays(days - 1L);
    }
}
