package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.driver.Arguments;
import dev.jobs.benchmarks.driver.RedisServer;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Jobs worked off by one process. */
final class DrainMeasurements {

    private final JobsMeasurements wide;
    private final Options options;
    private final RedisServer server;

    DrainMeasurements(JobsMeasurements wide) {
        this.wide = wide;
        this.options = wide.options();
        this.server = wide.server();
    }

    void concurrency() throws IOException {
        try (ChildProcess jobs = wide.driver("concurrency", JobsDriver.class)) {
            wide.warmUp(jobs);
            for (int concurrency : wide.inTurn(List.of(10, 1, 50))) {
                JsonNode answer = jobs.ask(
                        "drain",
                        options.dose(options.quick() && concurrency == 1 ? 50_000 : 200_000),
                        concurrency,
                        Arguments.STANDARD);
                wide.drained("concurrency", "concurrency " + concurrency, answer);
            }
        }
    }

    void shortJobs() throws IOException {
        try (ChildProcess jobs = wide.driver("short-jobs", JobsDriver.class)) {
            wide.warmUp(jobs);
            for (int concurrency : wide.inTurn(List.of(10, 25, 100))) {
                slept("short-jobs", "1 ms, " + concurrency, jobs, concurrency * options.dose(2_000), concurrency, 1);
            }
        }
    }

    void virtualThreads() throws IOException {
        try (ChildProcess jobs = wide.driver("virtual-threads", VirtualThreadsDriver.class)) {
            JsonNode first = jobs.ask("drain", JobsMeasurements.WARM_UP, 1_000, Arguments.STANDARD);
            if (first.has("unsupported")) {
                throw new IllegalStateException(first.get("unsupported").asString());
            }
            slept("virtual-threads", "10 ms, 1,000 virtual", jobs, 100_000, 1_000, 10);
        }
    }

    /** Compares with the same jobs on bare threads and with the arithmetic maximum: concurrency / duration. */
    private void slept(String measurement, String who, ChildProcess jobs, int count, int concurrency, int millis) {
        JsonNode answer = jobs.ask("work", count, concurrency, millis, Arguments.STANDARD);
        wide.line(measurement, who, answer);
        double nanos = answer.path("nanos").asDouble(Double.NaN);
        double least = (double) count / concurrency * millis * 1e6;
        wide.value("sleeping jobs: jobs/s", who, Comparison.perSecond(answer));
        wide.value("sleeping jobs: share of arithmetic maximum", who, least / nanos);
        wide.value(
                "sleeping jobs: share of bare threads",
                who,
                answer.path("bare_nanos").asDouble() / nanos);
        wide.value(
                "bare threads: share of arithmetic maximum",
                who,
                least / answer.path("bare_nanos").asDouble());
    }

    void dueAtOnce() throws IOException {
        try (ChildProcess jobs = wide.driver("due-at-once", JobsDriver.class)) {
            wide.warmUp(jobs);
            for (int i = 0; i < wide.warmUps(); i++) {
                jobs.ask("due", 10_000, 10, Arguments.STANDARD);
            }
            JsonNode answer = jobs.ask("due", 10_000, 10, Arguments.STANDARD);
            wide.line("due-at-once", "jobs", answer);
            wide.value(
                    "due-at-once, 10,000 jobs: ms to the first",
                    "jobs",
                    JobsMeasurements.millis(answer, "first_nanos"));
            wide.value("due-at-once, 10,000 jobs: ms to the last", "jobs", JobsMeasurements.millis(answer, "nanos"));
        }
    }

    void queues() throws IOException {
        Map<String, String> variants = new LinkedHashMap<>();
        variants.put("1 queue", JobsProcessMain.strict(1));
        variants.put("5 queues, strict", JobsProcessMain.strict(5));
        variants.put("5 queues, weighted", JobsProcessMain.weighted(5));
        variants.put("20 queues, strict", JobsProcessMain.strict(20));
        try (ChildProcess child = wide.jobs("queues")) {
            wide.warmUpJobs(child);
            for (Map.Entry<String, String> variant : wide.inTurn(List.copyOf(variants.entrySet()))) {
                server.clear();
                int jobs = options.dose(100_000);
                child.ask("fill", jobs, variant.getValue().split(";").length, 0);
                wide.drained("queues", variant.getKey(), child.ask("drain", jobs, 10, variant.getValue()));
            }
        }
    }

    /** The same number of jobs, taken from queues with more and more other jobs behind them. */
    void backlog() throws IOException {
        try (ChildProcess child = wide.jobs("backlog")) {
            wide.warmUpJobs(child);
            int jobs = options.dose(50_000);
            for (int waiting : wide.inTurn(List.of(1_000, 100_000, options.quick() ? 300_000 : 1_000_000))) {
                server.clear();
                child.ask("fill", waiting + jobs, 1, Arguments.STANDARD);
                wide.drained(
                        "backlog",
                        String.format("%,d waiting behind", waiting),
                        child.ask("drain", jobs, 10, "default"));
            }
        }
    }

    void payload() throws IOException {
        try (ChildProcess child = wide.jobs("payload")) {
            wide.warmUpJobs(child);
            for (int bytes : wide.inTurn(List.of(100, 1_000, 10_000, 100_000))) {
                server.clear();
                int jobs = options.dose(bytes < 10_000 ? 50_000 : bytes < 100_000 ? 20_000 : 5_000);
                child.ask("fill", jobs, 1, bytes);
                wide.drained("payload", String.format("%,d bytes", bytes), child.ask("drain", jobs, 10, "default"));
            }
        }
    }
}
