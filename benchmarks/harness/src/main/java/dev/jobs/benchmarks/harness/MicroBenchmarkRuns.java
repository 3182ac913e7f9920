package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.harness.micro.MicroMain;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The microbenchmarks. */
final class MicroBenchmarkRuns {

    private static final List<String> BENCHMARKS =
            List.of("parsePayload", "bindArguments", "writeArguments", "resolveMethodReference", "buildPayload");

    private final Options options;
    private final Results results;

    MicroBenchmarkRuns(Options options, Results results) {
        this.options = options;
        this.results = results;
    }

    void measure() {
        if (options.wants("jmh")) {
            BENCHMARKS.forEach(this::measure);
        }
    }

    private void measure(String benchmark) {
        Path harness = options.home().resolve("harness");
        try (ChildProcess child = ChildProcess.start(
                RegisteredDriver.java(harness, "", MicroMain.class.getName()),
                harness.resolve("target/logs/jmh-" + benchmark + ".log"))) {
            JsonNode answer = child.ask(
                    benchmark, options.quick() ? 3 : 5, options.quick() ? 2 : 5, options.quick() ? 500 : 1_000);
            if (answer.has("error")) {
                throw new IllegalStateException(answer.get("error").asString());
            }
            results.line("jmh", benchmark, 1, (ObjectNode) answer);
            results.value(
                    "jmh: ns/op", benchmark, 1, answer.path("nanos_per_op").asDouble());
            results.value(
                    "jmh: bytes/op", benchmark, 1, answer.path("bytes_per_op").asDouble(Double.NaN));
        } catch (IOException | RuntimeException e) {
            results.note(benchmark, "jmh", String.valueOf(e.getMessage()));
        }
    }
}
