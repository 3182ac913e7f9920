package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.driver.Arguments;
import java.io.IOException;
import tools.jackson.databind.JsonNode;

/** What a process of this library costs that does little. */
final class FootprintMeasurements {

    static final String SMALL_HEAP = "-Xms16m -Xmx128m";

    private final JobsMeasurements wide;
    private final Options options;

    FootprintMeasurements(JobsMeasurements wide) {
        this.wide = wide;
        this.options = wide.options();
    }

    void idle() throws IOException {
        try (ChildProcess child = wide.jobs("idle")) {
            child.ask("serve", 10, "default");
            child.ask("fill", 100, 1, Arguments.STANDARD);
            wide.awaitProcessed(100);
            child.ask("idle", 3);
            JsonNode answer = child.ask("idle", options.dose(10));
            wide.line("idle", "jobs", answer);
            double seconds = answer.path("seconds").asDouble();
            wide.value(
                    "idle: script calls/s",
                    "jobs",
                    answer.path("redis_script_calls").asDouble() / seconds);
            wide.value("idle: commands/s", "jobs", answer.path("redis_commands").asDouble() / seconds);
            wide.value(
                    "idle: worker CPU, ms/s", "jobs", answer.path("cpu_nanos").asDouble() / 1e6 / seconds);
        }
    }

    void footprint() throws IOException {
        footprint("", "");
        footprint(SMALL_HEAP, ", " + SMALL_HEAP);
    }

    private void footprint(String javaOptions, String suffix) throws IOException {
        try (ChildProcess child = wide.jobs("footprint", javaOptions)) {
            resident("client not used yet" + suffix, child);
            started("first start" + suffix, child);
            resident("engine with 10 threads" + suffix, child);
            child.ask("stop");
            wide.warmUpJobs(child);
            started("later start" + suffix, child);
            resident("after the warm-up's drains" + suffix, child);
        }
    }

    private void started(String who, ChildProcess child) {
        JsonNode answer = child.ask("serve", 10, "default");
        wide.line("footprint", who, answer);
        wide.value("engine: ms that its start takes its caller", who, JobsMeasurements.millis(answer, "call_nanos"));
        wide.value("engine: ms to its start", who, JobsMeasurements.millis(answer, "start_nanos"));
    }

    private void resident(String who, ChildProcess child) {
        JsonNode answer = child.ask("footprint");
        wide.line("footprint", who, answer);
        double mega = 1 << 20;
        wide.value("process: heap after GC, MiB", who, answer.path("heap_bytes").asDouble() / mega);
        wide.value("process: resident, MiB", who, answer.path("resident_bytes").asDouble(Double.NaN) / mega);
        wide.value("process: threads", who, answer.path("threads").asDouble());
    }
}
