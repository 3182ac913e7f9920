package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.harness.Figure.Named;
import dev.jobs.benchmarks.harness.Results.Row;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The ratios that carry over to other machines, each as the median of the ratios within a round. Throughput is compared
 * with the better of the bare loops.
 */
final class Ratios {

    static final Named DRAIN = drain("", "");
    static final Named DRAIN_TO_SIDEKIQ_3 = to("sidekiq-3", "drain relative to sidekiq-3", "drain: jobs/s");
    static final Named WORK_OF_100 = work(100);
    static final Named BULK = bulk("", "");
    static final Named SINGLE = to("bare-loop", "single push relative to LPUSH", "enqueue-single: jobs/s");
    static final Named SINGLE_REDIS =
            to("bare-loop", "Redis CPU per single push relative to LPUSH", "enqueue-single: Redis CPU, µs/job");
    static final Named IDLE_P50 = idle("p50", "sidekiq", "Sidekiq");
    static final Named IDLE_P99 = idle("p99", "sidekiq", "Sidekiq");

    private static final List<Named> ALL = List.of(
            DRAIN,
            drain("-1k", ", 1 KB"),
            drain("-10k", ", 10 KB"),
            work(25),
            WORK_OF_100,
            BULK,
            bulk("-1k", ", 1 KB"),
            SINGLE,
            to("bare-loop", "single push relative to LPUSH, 8 threads", "enqueue-single-8: jobs/s"),
            idle("p50", "blmove-loop", "a bare BLMOVE"),
            idle("p99", "blmove-loop", "a bare BLMOVE"),
            IDLE_P50,
            IDLE_P99,
            small("drain, 1 KB relative to 100 bytes", "drain"),
            small("bulk push, 1 KB relative to 100 bytes", "enqueue-bulk"),
            small("single push, 1 KB relative to 100 bytes", "enqueue-single"),
            new Named("Redis CPU per drained job relative to the bare loop", redisCpuOfDrain()),
            to("bare-loop", "Redis CPU per bulk push relative to LPUSH", "enqueue-bulk: Redis CPU, µs/job"),
            SINGLE_REDIS,
            to("sidekiq", "drain relative to sidekiq", "drain: jobs/s"),
            DRAIN_TO_SIDEKIQ_3,
            to("bullmq", "drain relative to bullmq", "drain: jobs/s"),
            new Named(
                    "cold, first 10 s relative to a warm drain",
                    Figure.of("cold: jobs/s in the first 10 s").relativeTo(Figure.of("drain: jobs/s"))));

    private final Results results;
    private final String reference;

    Ratios(Results results, String reference) {
        this.results = results;
        this.reference = reference;
    }

    private static List<String> loops() {
        return List.of("bare-loop", "bare-loop-200");
    }

    private static Named drain(String size, String what) {
        String title = "drain" + size + ": jobs/s";
        return new Named(
                "drain relative to the bare loop" + what, Figure.of(title).relativeTo(Figure.best(title, loops())));
    }

    private static Named bulk(String size, String what) {
        return to(
                "bare-loop",
                "bulk push relative to bulk LPUSH of the same bytes" + what,
                "enqueue-bulk" + size + ": jobs/s");
    }

    private static Named work(int concurrency) {
        return new Named(
                "jobs of 1 ms relative to bare threads, " + concurrency + " at once",
                Figure.of(Comparison.shareOfThreads(concurrency)));
    }

    private static Named idle(String quantile, String peer, String whom) {
        return to(peer, "idle latency " + quantile + " relative to " + whom, "latency: " + quantile + ", µs");
    }

    private static Named small(String what, String measurement) {
        return new Named(what, Figure.of(measurement + "-1k: jobs/s").relativeTo(Figure.of(measurement + ": jobs/s")));
    }

    /** Relative to the loop that needs less in the round. */
    private static Figure redisCpuOfDrain() {
        String title = "drain: Redis CPU, µs/job";
        return new Figure(
                Figure.of(title).sources(),
                (results, side) -> Row.best(loops().stream()
                        .map(loop -> Figure.ratioTo(loop, title).in(results, side))
                        .toList()));
    }

    private static Named to(String peer, String what, String title) {
        return new Named(what, Figure.ratioTo(peer, title));
    }

    void print(PrintStream out) {
        out.printf(Locale.ROOT, "%n%-66s %10s %10s %10s%n", "Ratios of " + reference, "median", "least", "most");
        for (Named each : ALL) {
            Row row = each.figure().in(results, who -> who.equals(Figure.JOBS) ? reference : who);
            if (!row.byRound().isEmpty()) {
                List<Object> line = new ArrayList<>(List.of(each.title()));
                Stream.of(row.median(), row.least(), row.most())
                        .map(Results::shown)
                        .forEach(line::add);
                out.printf(Locale.ROOT, "  %-64s %10s %10s %10s%n", line.toArray());
            }
        }
    }
}
