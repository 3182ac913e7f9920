package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.harness.Results.Row;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The ratios that carry over to other machines, each as the median of the ratios within a round. Throughput is compared
 * with the better of the bare loops.
 */
final class Ratios {

    private static final List<String> LOOPS = List.of("bare-loop", "bare-loop-200");
    private static final String BULK = "bulk push relative to bulk LPUSH of the same bytes";

    private final Results results;
    private final String reference;
    private PrintStream out = System.out;

    Ratios(Results results, String reference) {
        this.results = results;
        this.reference = reference;
    }

    void print(PrintStream to) {
        out = to;
        out.printf(Locale.ROOT, "%n%-66s %10s %10s %10s%n", "Ratios of " + reference, "median", "least", "most");
        drain("drain relative to the bare loop", "");
        drain("drain relative to the bare loop, 1 KB", "-1k");
        drain("drain relative to the bare loop, 10 KB", "-10k");
        work(25);
        work(100);
        to("bare-loop", BULK, "enqueue-bulk: jobs/s");
        to("bare-loop", BULK + ", 1 KB", "enqueue-bulk-1k: jobs/s");
        to("bare-loop", "single push relative to LPUSH", "enqueue-single: jobs/s");
        to("bare-loop", "single push relative to LPUSH, 8 threads", "enqueue-single-8: jobs/s");
        for (String peer : List.of("blmove-loop", "sidekiq")) {
            String whom = peer.equals("sidekiq") ? "Sidekiq" : "a bare BLMOVE";
            to(peer, "idle latency p50 relative to " + whom, "latency: p50, µs");
            to(peer, "idle latency p99 relative to " + whom, "latency: p99, µs");
        }
        small("drain, 1 KB relative to 100 bytes", "drain");
        small("bulk push, 1 KB relative to 100 bytes", "enqueue-bulk");
        small("single push, 1 KB relative to 100 bytes", "enqueue-single");
        line("Redis CPU per drained job relative to the bare loop", least("drain: Redis CPU, µs/job"));
        to("bare-loop", "Redis CPU per bulk push relative to LPUSH", "enqueue-bulk: Redis CPU, µs/job");
        to("bare-loop", "Redis CPU per single push relative to LPUSH", "enqueue-single: Redis CPU, µs/job");
        for (String peer : List.of("sidekiq", "sidekiq-3", "bullmq")) {
            to(peer, "drain relative to " + peer, "drain: jobs/s");
        }
        Row warm = row("drain: jobs/s");
        line(
                "cold, first 10 s relative to a warm drain",
                row("cold: jobs/s in the first 10 s").ratioTo(warm));
    }

    private Row row(String title) {
        return results.row(title, reference);
    }

    private void drain(String what, String size) {
        String title = "drain" + size + ": jobs/s";
        Row best = Row.best(LOOPS.stream().map(loop -> results.row(title, loop)).toList());
        line(what, row(title).ratioTo(best));
    }

    /** To the loop that needs less in the round. */
    private Row least(String title) {
        return Row.best(LOOPS.stream()
                .map(loop -> row(title).ratioTo(results.row(title, loop)))
                .toList());
    }

    private void work(int concurrency) {
        line(
                "jobs of 1 ms relative to bare threads, " + concurrency + " at once",
                row(Comparison.shareOfThreads(concurrency)));
    }

    private void to(String who, String what, String title) {
        line(what, row(title).ratioTo(results.row(title, who)));
    }

    private void small(String what, String measurement) {
        line(what, row(measurement + "-1k: jobs/s").ratioTo(row(measurement + ": jobs/s")));
    }

    private void line(String what, Row ratio) {
        if (!Double.isNaN(ratio.median())) {
            Stream<String> figures =
                    Stream.of(ratio.median(), ratio.least(), ratio.most()).map(Results::shown);
            out.printf(
                    Locale.ROOT,
                    "  %-64s %10s %10s %10s%n",
                    Stream.concat(Stream.of(what), figures).toArray());
        }
    }
}
