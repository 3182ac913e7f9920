package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.driver.Arguments;
import java.io.IOException;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** What waiting jobs take of Redis's memory, and what other jobs cost beside millions of them. */
final class VolumeMeasurement {

    private static final int MILLION = 1_000_000;
    private static final int DRAINED = 100_000;
    private static final int QUEUES = 5_000;

    private final JobsMeasurements wide;

    VolumeMeasurement(JobsMeasurements wide) {
        this.wide = wide;
    }

    void take() throws IOException {
        try (ChildProcess child = wide.jobs("volume")) {
            wide.warmUpJobs(child);
            beside(child, "nothing");
            for (int bytes : List.of(Arguments.STANDARD, 1_000)) {
                String size = String.format("%,d bytes, ", bytes);
                fill(child, size + "in a queue", "fill %d 1 %d".formatted(MILLION, bytes));
                fill(child, size + "scheduled", "fill-scheduled %d %d".formatted(MILLION, bytes));
            }
            beside(child, "1 million scheduled");
            child.ask("fill", QUEUES, QUEUES, Arguments.STANDARD);
            beside(child, "5,000 other queues");
            fill(child, "10 million in a queue", "fill %d 1 %d".formatted(10 * MILLION, Arguments.STANDARD));
            beside(child, "10 million in its queue");
        }
    }

    /** Fills an empty Redis. */
    private void fill(ChildProcess child, String who, String command) {
        wide.server().clear();
        long before = wide.server().memory();
        JsonNode stored = child.ask(command);
        long bytes = wide.server().memory() - before;
        wide.line("volume, filling", who, stored);
        wide.value(
                "volume: bytes of memory per job",
                who,
                bytes / stored.path("jobs").asDouble());
        wide.value("volume: jobs/s stored", who, Comparison.perSecond(stored));
    }

    /** Jobs that are stored and worked off while others wait. */
    private void beside(ChildProcess child, String others) {
        String who = "beside " + others;
        int jobs = wide.options().dose(DRAINED);
        JsonNode stored = child.ask("fill", jobs, 1, Arguments.STANDARD);
        wide.value("volume: Redis CPU per push, µs", who, micros(stored));
        JsonNode drained = child.ask("drain", jobs, 10, "default");
        wide.line("volume, draining", who, drained);
        wide.value("volume: Redis CPU per drained job, µs", who, micros(drained));
    }

    private static double micros(JsonNode answer) {
        return answer.path("redis_cpu_nanos").asDouble() / answer.path("jobs").asDouble() / 1e3;
    }
}
