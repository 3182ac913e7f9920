package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.driver.Arguments;
import dev.jobs.benchmarks.driver.Pauses;
import dev.jobs.benchmarks.driver.RedisServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Several processes of this library at the same queues. */
final class ProcessesMeasurements {

    private static final int DUE_JOBS = 200;
    private static final int LATE_WARM_UP = 100_000;

    private final JobsMeasurements wide;
    private final Options options;
    private final RedisServer server;

    ProcessesMeasurements(JobsMeasurements wide) {
        this.wide = wide;
        this.options = wide.options();
        this.server = wide.server();
    }

    void latency() throws IOException {
        int samples = options.dose(2_000);
        try (ChildProcess worker = wide.jobs("latency-worker");
                ChildProcess producer = wide.jobs("latency-producer")) {
            wide.warmUpJobs(worker);
            worker.ask("serve", 10, "default");
            producer.ask("send", 100 + samples);
            wide.awaitProcessed(100 + samples);
            JsonNode answer = worker.ask("arrivals", 100);
            wide.line("latency-between-processes", "jobs", answer);
            wide.value(
                    "latency between processes: p50, µs", "jobs", JobsMeasurements.millis(answer, "p50_nanos") * 1e3);
            wide.value(
                    "latency between processes: p99, µs", "jobs", JobsMeasurements.millis(answer, "p99_nanos") * 1e3);
        }
    }

    /**
     * Single due jobs, each from its instant to its method, in the first ten seconds of all processes and when they are
     * warm.
     */
    void lateness() throws IOException {
        try (ChildProcess producer = wide.jobs("lateness-producer")) {
            wide.warmUpJobs(producer);
            for (int processes : wide.inTurn(List.of(1, 5, 20))) {
                server.clear();
                List<ChildProcess> children = new ArrayList<>();
                try {
                    for (int i = 0; i < processes; i++) {
                        children.add(wide.jobs("lateness-" + i));
                    }
                    children.parallelStream().forEach(each -> each.ask("serve", 10, "default"));
                    String who = processes + (processes == 1 ? " process" : " processes");
                    late(who + ", just started", producer, children);
                    int warmUp = options.dose(LATE_WARM_UP) * processes;
                    long before = wide.processed();
                    producer.ask("fill", warmUp, 1, Arguments.STANDARD);
                    wide.awaitProcessed(before + warmUp);
                    late(who + ", warm", producer, children);
                } finally {
                    children.forEach(ChildProcess::close);
                }
            }
        }
    }

    private void late(String who, ChildProcess producer, List<ChildProcess> children) {
        int jobs = options.dose(DUE_JOBS);
        long before = wide.processed();
        long since = producer.ask("due", jobs, 10_000).get("since").asLong();
        wide.awaitProcessed(before + jobs);
        Pauses.pause(JobsMeasurements.LOOK); // by now Redis and its process have counted the last job
        List<Long> waits = children.stream()
                .flatMap(each -> Stream.of(
                        each.ask("waits", since).get("waits").asString().split(",")))
                .filter(wait -> !wait.isEmpty())
                .map(Long::valueOf)
                .sorted()
                .toList();
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        line.put("jobs", waits.size());
        Map.of("p50", 0.5, "p99", 0.99, "max", 1.0).forEach((name, share) -> {
            long nanos = waits.get((int) Math.min(waits.size() - 1, Math.floor(share * waits.size())));
            line.put(name + "_nanos", nanos);
            wide.value("lateness of processes: " + name + ", ms", who, nanos / 1e6);
        });
        wide.line("lateness-of-processes", who, line);
    }

    /** One job of 5 s among 1,000 of 1 ms, two processes: no short job may wait for the long one. */
    void fairness() throws IOException {
        for (int concurrency : wide.inTurn(List.of(1, 10))) {
            server.clear();
            String who = "2 processes with " + concurrency;
            try (ChildProcess one = wide.jobs("fairness-1");
                    ChildProcess other = wide.jobs("fairness-2")) {
                one.ask("serve", concurrency, "default");
                other.ask("serve", concurrency, "default");
                one.ask("fill", 4_000, 1, Arguments.STANDARD);
                wide.awaitProcessed(4_000);
                one.ask("fill-mixed", 1_000, 1, 5_000);
                wide.awaitProcessed(4_000 + 1_001);
                JsonNode ofOne = one.ask("starts");
                JsonNode ofOther = other.ask("starts");
                long begun =
                        Math.max(ofOne.get("long").asLong(), ofOther.get("long").asLong());
                List<Long> starts = Stream.of(ofOne, ofOther)
                        .flatMap(answer ->
                                Stream.of(answer.get("starts").asString().split(",")))
                        .filter(start -> !start.isEmpty())
                        .map(Long::valueOf)
                        .sorted()
                        .toList();
                long longestGap = 0;
                for (int i = 1; i < starts.size(); i++) {
                    longestGap = Math.max(longestGap, starts.get(i) - starts.get(i - 1));
                }
                ObjectNode line = JsonNodeFactory.instance.objectNode();
                line.put("jobs", starts.size())
                        .put("last_start_nanos", starts.get(starts.size() - 1) - begun)
                        .put("longest_gap_nanos", longestGap);
                wide.line("fairness", who, line);
                wide.value(
                        "beside a job of 5 s: ms to the start of the last",
                        who,
                        line.get("last_start_nanos").asDouble() / 1e6);
                wide.value("beside a job of 5 s: longest ms without a start", who, longestGap / 1e6);
            }
        }
    }

    void scaling() throws IOException {
        for (int processes : wide.inTurn(List.of(1, 2, 4, 8))) {
            server.clear();
            List<ChildProcess> children = new ArrayList<>();
            try {
                for (int i = 0; i < processes; i++) {
                    children.add(wide.jobs("scaling-" + i));
                }
                scale(children);
            } finally {
                children.forEach(ChildProcess::close);
            }
        }
    }

    /** The time for the middle part of the jobs, when all processes are certainly working. */
    private void scale(List<ChildProcess> children) {
        String who = children.size() + (children.size() == 1 ? " process" : " processes");
        int warmUp = JobsMeasurements.WARM_UP * children.size();
        int jobs = options.dose(150_000);
        children.forEach(child -> child.ask("serve", 10, "default"));
        children.get(0).ask("fill", warmUp, 1, Arguments.STANDARD);
        wide.awaitProcessed(warmUp);
        server.ask("SADD paused default");
        children.get(0).ask("fill", jobs, 1, Arguments.STANDARD);
        Map<String, Long> before = server.counters();
        server.ask("SREM paused default");
        children.get(0).ask("fill", 1, 1, Arguments.STANDARD);
        int from = warmUp + jobs / 10;
        int to = warmUp + jobs / 10 * 9;
        wide.awaitProcessed(from);
        long begin = System.nanoTime();
        long first = wide.processed();
        wide.awaitProcessed(to);
        long last = wide.processed();
        long nanos = System.nanoTime() - begin;
        wide.awaitProcessed(warmUp + jobs + 1);
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        line.put("jobs", last - first).put("nanos", nanos);
        server.since(before).forEach(line::put);
        wide.line("scaling", who, line);
        wide.value("scaling: jobs/s", who, (last - first) * 1e9 / nanos);
        wide.value(
                "scaling: Redis CPU, µs/job", who, line.get("redis_cpu_nanos").asDouble() / jobs / 1e3);
    }
}
