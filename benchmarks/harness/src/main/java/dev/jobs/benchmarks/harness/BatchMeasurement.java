package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.driver.Arguments;
import dev.jobs.benchmarks.driver.RedisServer;
import java.io.IOException;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Jobs in a batch beside as many outside one: filling, draining, memory, the longest script, and reading. */
final class BatchMeasurement {

    private static final int SAMPLES = 4_000;
    private static final String SMALL_HEAP = "-Xms64m -Xmx64m";
    private static final List<String> PARTS = List.of("", ":d", ":s", ":g", ":j", ":k");

    private final JobsMeasurements wide;
    private final RedisServer server;
    private final int jobs;

    BatchMeasurement(JobsMeasurements wide, RedisServer server, int jobs) {
        this.wide = wide;
        this.server = server;
        this.jobs = jobs;
    }

    void take() throws IOException {
        try (ChildProcess child = wide.jobs("batch", "")) {
            wide.warmUpJobs(child);
            drain(child, true, jobs / 2, false);
            for (boolean batch : wide.inTurn(List.of(false, true))) {
                drain(child, batch, jobs, true);
            }
            create(child);
        }
        smallHeap();
    }

    private void drain(ChildProcess child, boolean batch, int count, boolean counts) {
        String who = batch ? "in a batch" : "outside a batch";
        server.clear();
        watchScripts();
        JsonNode filled = batch
                ? child.ask("fill-batch", count, Arguments.STANDARD)
                : child.ask("fill", count, 1, Arguments.STANDARD);
        double fillMillis = longestScript();
        watchScripts();
        JsonNode drained = child.ask("drain", count, 10, "default");
        double drainMillis = longestScript();
        if (!counts) {
            return;
        }
        wide.line("batch, filling", who, filled);
        wide.value("batch, filling: jobs/s", who, Comparison.perSecond(filled));
        wide.value("batch, filling: Redis CPU, µs/job", who, micros(filled, "redis_cpu_nanos"));
        wide.value("batch, filling: longest script, ms", who, fillMillis);
        wide.drained("batch", who, drained);
        wide.value("batch: Redis CPU, µs/job", who, micros(drained, "redis_cpu_nanos"));
        wide.value("batch: longest script, ms", who, drainMillis);
        if (batch) {
            finish(child, filled.get("id").asString());
        }
    }

    private void create(ChildProcess child) throws IOException {
        String who = "created in one call";
        server.clear();
        JsonNode created = child.ask("create-batch", jobs, Arguments.STANDARD);
        wide.line("batch, filling", who, created);
        wide.value("batch, filling: jobs/s", who, Comparison.perSecond(created));
        wide.value("batch, filling: Redis CPU, µs/job", who, micros(created, "redis_cpu_nanos"));
    }

    private void finish(ChildProcess child, String id) {
        watchScripts();
        child.ask("serve", 10, "default");
        JsonNode finished = child.ask("finish-batch", id);
        child.ask("stop");
        wide.line("batch, finishing", "in a batch", finished);
        wide.value("batch, finishing: longest script, ms", "in a batch", longestScript());
        wide.value("batch: bytes in Redis/job", "in a batch", (double) bytes(id) / jobs);
        JsonNode read = child.ask("read-batch", id, SAMPLES);
        wide.line("batch, reading", "in a batch", read);
        for (String each : List.of("find_p50", "find_p99", "jobs_p50", "jobs_p99", "page_p50", "page_p99")) {
            wide.value("batch, reading: ms", each, read.path(each + "_nanos").asDouble() / 1e6);
        }
    }

    /** A process with little memory fills a batch and reads all of it. */
    private void smallHeap() throws IOException {
        try (ChildProcess child = wide.jobs("batch-heap", SMALL_HEAP)) {
            server.clear();
            JsonNode filled = child.ask("fill-batch", jobs, Arguments.STANDARD);
            wide.line("batch, filling", SMALL_HEAP, filled);
            JsonNode afterFill = child.ask("footprint");
            wide.line(
                    "batch, reading",
                    SMALL_HEAP,
                    child.ask("read-batch", filled.get("id").asString(), 100));
            JsonNode afterRead = child.ask("footprint");
            double mega = 1 << 20;
            wide.value(
                    "batch: heap after GC, MiB, of 64",
                    "filled",
                    afterFill.path("heap_bytes").asDouble() / mega);
            wide.value(
                    "batch: heap after GC, MiB, of 64",
                    "read",
                    afterRead.path("heap_bytes").asDouble() / mega);
        }
    }

    private static double micros(JsonNode answer, String figure) {
        return answer.path(figure).asDouble() / answer.path("jobs").asDouble() / 1e3;
    }

    private long bytes(String id) {
        long sum = 0;
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        for (String part : PARTS) {
            String bytes = server.ask("MEMORY USAGE jobs:batch:" + id + part + " SAMPLES 0");
            if (!bytes.isEmpty()) {
                line.put("key" + part, Long.parseLong(bytes));
                sum += Long.parseLong(bytes);
            }
        }
        wide.line("batch, memory", "in a batch", line);
        return sum;
    }

    private void watchScripts() {
        server.ask("CONFIG SET latency-tracking-info-percentiles 100");
        server.ask("CONFIG RESETSTAT");
    }

    /** The longest run of a script since then, in milliseconds. */
    private double longestScript() {
        return server.ask("INFO latencystats")
                        .lines()
                        .filter(line -> line.startsWith("latency_percentiles_usec_eval"))
                        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf('=') + 1)))
                        .max()
                        .orElse(Double.NaN)
                / 1e3;
    }
}
