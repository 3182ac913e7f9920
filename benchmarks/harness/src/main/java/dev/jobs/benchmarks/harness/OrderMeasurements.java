package dev.jobs.benchmarks.harness;

import java.io.IOException;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** What it costs to put jobs into ordered queues and to drain these, beside a queue that is a list. */
final class OrderMeasurements {

    private static final int JOBS = 100_000;

    private final JobsMeasurements wide;

    OrderMeasurements(JobsMeasurements wide) {
        this.wide = wide;
    }

    /** The jobs of an ordered queue have a hundred keys and eleven priorities. */
    void take() throws IOException {
        try (ChildProcess child = wide.jobs("ordered")) {
            wide.warmUpJobs(child);
            for (String queue : wide.inTurn(List.of("default", JobsProcess.FAIR, JobsProcess.BY_PRIORITY))) {
                wide.server().clear();
                int jobs = wide.options().dose(JOBS);
                JsonNode filled = child.ask("fill-queue", jobs, queue);
                perJob(
                        "ordered: pushing, Redis time in scripts, µs/job",
                        queue,
                        filled.path("redis_script_nanos"),
                        jobs,
                        1e3);
                String prefix = queue.equals("default") ? "queue:" : "jobs:order:";
                double bytes = Double.parseDouble(wide.server().ask("MEMORY USAGE " + prefix + queue + " SAMPLES 0"));
                wide.value("ordered: memory, bytes/job", queue, bytes / jobs);
                wide.drained("ordered", queue, child.ask("drain", jobs, 10, queue));
            }
        }
    }

    private void perJob(String title, String who, JsonNode sum, int jobs, double unit) {
        wide.value(title, who, sum.asDouble() / jobs / unit);
    }
}
