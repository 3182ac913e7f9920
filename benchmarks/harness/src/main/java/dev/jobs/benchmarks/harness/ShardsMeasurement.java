package dev.jobs.benchmarks.harness;

import java.io.IOException;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** What a job costs Redis and the worker with 1, 4 and 16 shards, all of them on one Redis. */
final class ShardsMeasurement {

    private static final int THREADS = 10;
    private static final int BULK = 200_000;
    private static final int SINGLE = 20_000;
    private static final int WARM_UP = 200_000;

    private final JobsMeasurements wide;

    ShardsMeasurement(JobsMeasurements wide) {
        this.wide = wide;
    }

    void take() throws IOException {
        for (int shards : wide.inTurn(List.of(1, 4, 16))) {
            String who = shards + (shards == 1 ? " shard" : " shards");
            try (ChildProcess child = wide.shards("shards-" + shards)) {
                for (int i = 0; i < wide.warmUps(); i++) {
                    wide.server().clear();
                    child.ask("fill", shards, WARM_UP);
                    child.ask("singly", shards, SINGLE);
                    child.ask("drain", shards, WARM_UP + SINGLE, THREADS);
                }
                wide.server().clear();
                int singles = wide.options().dose(SINGLE);
                int bulk = wide.options().dose(BULK);
                figures("shards, single pushes", who, child.ask("singly", shards, singles));
                figures("shards, bulk", who, child.ask("fill", shards, bulk));
                figures("shards, drain", who, child.ask("drain", shards, singles + bulk, THREADS));
            }
        }
    }

    private void figures(String what, String who, JsonNode answer) {
        wide.line(what, who, answer);
        double jobs = answer.path("jobs").asDouble();
        wide.value(what + ": jobs/s", who, Comparison.perSecond(answer));
        wide.value(
                what + ": Redis CPU, µs/job",
                who,
                answer.path("redis_cpu_nanos").asDouble() / jobs / 1e3);
        wide.value(
                what + ": script calls/job",
                who,
                answer.path("redis_script_calls").asDouble() / jobs);
        if (answer.has("cpu_nanos")) {
            wide.value(
                    what + ": worker CPU, µs/job", who, answer.path("cpu_nanos").asDouble() / jobs / 1e3);
        }
    }
}
