package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.driver.Arguments;
import java.io.IOException;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * How many jobs per second one Redis can store and hand out: a second divided by the processor time that it needs to
 * store a job and to work it off. Redis runs commands on one core, so this is its ceiling, whatever the number of
 * processes, and the figure is above what one machine with both reaches.
 */
final class CapacityMeasurement {

    private static final String LOGGING = "-Dlogback.configurationFile=logback-every-job.xml";

    /** A way to store jobs; {@code %d} is their number and then the size of their arguments. */
    private record Push(String name, String command, int jobs) {}

    private static final Push BULK = new Push("bulk", "fill %d 1 %d", 100_000);
    private static final Push ONE_THREAD = new Push("single, 1 thread", "fill-singly %d 1 %d", 20_000);
    private static final Push EIGHT_THREADS = new Push("single, 8 threads", "fill-singly %d 8 %d", 40_000);
    private static final Push BATCH = new Push("batch", "fill-batch %d %d", 100_000);

    private final JobsMeasurements wide;

    CapacityMeasurement(JobsMeasurements wide) {
        this.wide = wide;
    }

    void take() throws IOException {
        try (ChildProcess child = wide.jobs("capacity")) {
            wide.warmUpJobs(child);
            for (Push push : wide.inTurn(List.of(BULK, EIGHT_THREADS))) {
                for (int bytes : List.of(Arguments.STANDARD, 1_000, 10_000)) {
                    take(child, "", push, bytes);
                }
            }
            take(child, "", ONE_THREAD, Arguments.STANDARD);
            take(child, "", BATCH, Arguments.STANDARD);
        }
        try (ChildProcess child = wide.jobs("capacity-logging", LOGGING)) {
            wide.warmUpJobs(child);
            take(child, ", log lines on", BULK, Arguments.STANDARD);
        }
    }

    private void take(ChildProcess child, String feature, Push push, int bytes) {
        wide.server().clear();
        String who = String.format("%,d bytes, %s%s", bytes, push.name(), feature);
        int jobs = Math.min(wide.options().dose(push.jobs()), 100_000_000 / bytes);
        JsonNode stored = child.ask(push.command().formatted(jobs, bytes));
        wide.line("capacity, pushing", who, stored);
        JsonNode drained = child.ask("drain", jobs, 10, "default");
        wide.line("capacity, draining", who, drained);
        double pushMicros = micros(stored);
        double drainMicros = micros(drained);
        wide.value("capacity: Redis CPU per push, µs", who, pushMicros);
        wide.value("capacity: Redis CPU per drained job, µs", who, drainMicros);
        wide.value("capacity: jobs/s per Redis, push and drain", who, 1e6 / (pushMicros + drainMicros));
        wide.value("capacity: jobs/s drained by one worker", who, Comparison.perSecond(drained));
    }

    private static double micros(JsonNode answer) {
        return answer.path("redis_cpu_nanos").asDouble() / answer.path("jobs").asDouble() / 1e3;
    }
}
